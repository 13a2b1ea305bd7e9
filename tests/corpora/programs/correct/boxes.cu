// arch: 90a
// Correct: boxes of tensors that are copied in and out, swizzled or not, some of them beyond the tensor's
// end.
#include "../case.h"
#include "../tensor.h"

constexpr int kRows = 16, kColumns = 32;  // of a box, which is as wide as 128 bytes
constexpr int kThreads = 128;

CUtensorMap map_of_words(int* matrix, int rows, int columns,
                         CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_NONE) {
  return map_of(matrix, CU_TENSOR_MAP_DATA_TYPE_INT32, rows, columns, kRows, kColumns, swizzle);
}

// Columns of a swizzled tile: the reader undoes the swizzle, and meets all banks.
__global__ void columns_of(int* out, const __grid_constant__ CUtensorMap map) {
  __shared__ alignas(1024) int tile[kRows * kColumns];
  __shared__ std::uint64_t full;
  if (threadIdx.x == 0) mbarrier_init(&full, 1), fence_mbarrier_init();
  __syncthreads();
  if (threadIdx.x == 0) {
    mbarrier_expect(&full, sizeof tile);
    box_load(tile, &map, 0, 0, &full);
  }
  mbarrier_wait(&full, 0);
  for (int i = threadIdx.x; i < kRows * kColumns; i += kThreads) {
    const int row = i % kRows, column = i / kRows;
    out[column * kRows + row] = tile[row * kColumns + (column ^ row % 8 * 4)];
  }
}
CASE(columns_of_a_swizzled_tile) {
  Buffer<int> out(kRows * kColumns), in(64 * 64, 0, 1);
  columns_of<<<1, kThreads>>>(out, map_of_words(in, 64, 64, CU_TENSOR_MAP_SWIZZLE_128B));
  finish();
  const std::vector<int> result = out.host();
  for (int i = 0; i < kRows * kColumns; ++i) CHECK_THAT(result[i] == i % kRows * 64 + i / kRows);
}

// The last boxes reach beyond the matrix: zeros come in, and nothing goes out. All of a box is announced.
__global__ void borders(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to) {
  __shared__ alignas(128) int tile[kRows * kColumns];
  __shared__ std::uint64_t full;
  if (threadIdx.x == 0) mbarrier_init(&full, 1), fence_mbarrier_init();
  __syncthreads();
  const int row = blockIdx.y * kRows, column = blockIdx.x * kColumns;
  if (threadIdx.x == 0) {
    mbarrier_expect(&full, sizeof tile);
    box_load(tile, &from, row, column, &full);
  }
  mbarrier_wait(&full, 0);
  for (int i = threadIdx.x; i < kRows * kColumns; i += kThreads) tile[i] += 1;
  fence_proxy();
  __syncthreads();
  if (threadIdx.x == 0) {
    box_store(&to, row, column, tile);
    bulk_commit();
    bulk_wait_read<0>();
  }
}
CASE(boxes_beyond_the_borders) {
  constexpr int kHeight = 40, kWidth = 72;
  Buffer<int> out(kHeight * kWidth), in(kHeight * kWidth, 0, 1);
  borders<<<dim3(3, 3), kThreads>>>(map_of_words(in, kHeight, kWidth), map_of_words(out, kHeight, kWidth));
  finish();
  const std::vector<int> result = out.host();
  for (int i = 0; i < kHeight * kWidth; ++i) CHECK_THAT(result[i] == i + 1);
}

// A halo: the box begins before the matrix, where zeros come in.
__global__ void halo(int* out, const __grid_constant__ CUtensorMap map) {
  __shared__ alignas(128) int tile[kRows * kColumns];
  __shared__ std::uint64_t full;
  if (threadIdx.x == 0) mbarrier_init(&full, 1), fence_mbarrier_init();
  __syncthreads();
  if (threadIdx.x == 0) {
    mbarrier_expect(&full, sizeof tile);
    box_load(tile, &map, -1, -4, &full);
  }
  mbarrier_wait(&full, 0);
  for (int i = threadIdx.x; i < kRows * kColumns; i += kThreads) out[i] = tile[i];
}
CASE(box_that_begins_before_the_matrix) {
  Buffer<int> out(kRows * kColumns, -1), in(64 * 64, 5);
  halo<<<1, kThreads>>>(out, map_of_words(in, 64, 64));
  finish();
  const std::vector<int> result = out.host();
  for (int i = 0; i < kRows * kColumns; ++i)
    CHECK_THAT(result[i] == (i / kColumns >= 1 && i % kColumns >= 4 ? 5 : 0));
}

// A ring of boxes with roles; results go out by boxes, by turns from two buffers.
__global__ void box_ring(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to,
                         int boxes) {
  __shared__ alignas(128) int tile[2][kRows * kColumns];
  __shared__ alignas(128) int staged[2][kRows * kColumns];
  __shared__ std::uint64_t full[2], empty[2];
  if (threadIdx.x == 0) {
    for (int i = 0; i < 2; ++i) mbarrier_init(&full[i], 1), mbarrier_init(&empty[i], kThreads);
    fence_mbarrier_init();
  }
  __syncthreads();
  if (threadIdx.x >= kThreads) {
    if (threadIdx.x > kThreads) return;
    for (int k = 0; k < boxes; ++k) {
      mbarrier_wait(&empty[k % 2], (k / 2 + 1) % 2);
      mbarrier_expect(&full[k % 2], sizeof tile[0]);
      box_load(tile[k % 2], &from, k * kRows, 0, &full[k % 2]);
    }
    return;
  }
  for (int k = 0; k < boxes; ++k) {
    if (threadIdx.x == 0) bulk_wait_read<1>();
    asm volatile("bar.sync 1, 128;" ::: "memory");
    mbarrier_wait(&full[k % 2], k / 2 % 2);
    for (int i = threadIdx.x; i < kRows * kColumns; i += kThreads) staged[k % 2][i] = 2 * tile[k % 2][i];
    mbarrier_arrive(&empty[k % 2]);
    fence_proxy();
    asm volatile("bar.sync 1, 128;" ::: "memory");
    if (threadIdx.x == 0) box_store(&to, k * kRows, 0, staged[k % 2]), bulk_commit();
  }
  if (threadIdx.x == 0) bulk_wait_read<0>();
}
CASE(ring_of_boxes) {
  constexpr int kBoxes = 5;
  Buffer<int> out(kBoxes * kRows * kColumns), in(kBoxes * kRows * kColumns, 0, 1);
  box_ring<<<1, kThreads + 32>>>(map_of_words(in, kBoxes * kRows, kColumns),
                                 map_of_words(out, kBoxes * kRows, kColumns), kBoxes);
  finish();
  const std::vector<int> result = out.host();
  for (int i = 0; i < kBoxes * kRows * kColumns; ++i) CHECK_THAT(result[i] == 2 * i);
}
