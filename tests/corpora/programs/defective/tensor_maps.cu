// arch: 90a
// Copies of boxes by tensor maps, of the wrong bytes, place or moment.
#include "../case.h"
#include "../tensor.h"

constexpr int kRows = 16, kColumns = 32;  // of a box
constexpr int kThreads = 128;

CUtensorMap map_of_words(int* matrix, int rows, int columns, int box_rows = kRows) {
  return map_of(matrix, CU_TENSOR_MAP_DATA_TYPE_INT32, rows, columns, box_rows, kColumns);
}

// expect: hang
// wrong: twice the box's bytes are announced.
// cure:  sizeof tile.
__global__ void half_a_box(int* out, const __grid_constant__ CUtensorMap map) {
  __shared__ alignas(128) int tile[kRows * kColumns];
  __shared__ std::uint64_t full;
  if (threadIdx.x == 0) mbarrier_init(&full, 1), fence_mbarrier_init();
  __syncthreads();
  if (threadIdx.x == 0) {
    mbarrier_expect(&full, 2 * sizeof tile);
    box_load(tile, &map, 0, 0, &full);
  }
  mbarrier_wait(&full, 0);  // <- hang
  out[threadIdx.x] = tile[threadIdx.x];
}
CASE(bytes_of_two_boxes_announced) {
  Buffer<int> out(kThreads), in(64 * 64, 1);
  half_a_box<<<1, kThreads>>>(out, map_of_words(in, 64, 64));
  finish();
}

// expect: out-of-bounds shared
// wrong: the map's boxes have twice as many rows as the tile.
// cure:  a map of boxes of kRows rows.
__global__ void larger_box(int* out, const __grid_constant__ CUtensorMap map) {
  __shared__ std::uint64_t full;
  __shared__ alignas(128) int tile[kRows * kColumns];
  if (threadIdx.x == 0) mbarrier_init(&full, 1), fence_mbarrier_init();
  __syncthreads();
  if (threadIdx.x == 0) {
    mbarrier_expect(&full, 2 * sizeof tile);
    box_load(tile, &map, 0, 0, &full);  // <- out-of-bounds
  }
  mbarrier_wait(&full, 0);
  out[threadIdx.x] = tile[threadIdx.x];
}
CASE(box_larger_than_its_tile) {
  Buffer<int> out(kThreads), in(64 * 64, 1);
  larger_box<<<1, kThreads>>>(out, map_of_words(in, 64, 64, 2 * kRows));
  finish();
}

// expect: misaligned shared
// wrong: a box begins at a multiple of 128 bytes, and the second row of boxes does not.
// cure:  alignas(128) for each of them.
__global__ void between_lines(int* out, const __grid_constant__ CUtensorMap map) {
  __shared__ alignas(128) int tile[kRows * kColumns + 16];
  __shared__ std::uint64_t full;
  if (threadIdx.x == 0) mbarrier_init(&full, 1), fence_mbarrier_init();
  __syncthreads();
  if (threadIdx.x == 0) {
    mbarrier_expect(&full, kRows * kColumns * 4);
    box_load(tile + 16, &map, 0, 0, &full);  // <- misaligned
  }
  mbarrier_wait(&full, 0);
  out[threadIdx.x] = tile[16 + threadIdx.x];
}
CASE(box_that_begins_between_two_lines) {
  Buffer<int> out(kThreads), in(64 * 64, 1);
  between_lines<<<1, kThreads>>>(out, map_of_words(in, 64, 64));
  finish();
}

// expect: race shared
// wrong: a barrier of the block does not wait for the box.
// cure:  mbarrier_wait(&full, 0).
__global__ void box_read_early(int* out, const __grid_constant__ CUtensorMap map) {
  __shared__ alignas(128) int tile[kRows * kColumns];
  __shared__ std::uint64_t full;
  if (threadIdx.x == 0) mbarrier_init(&full, 1), fence_mbarrier_init();
  __syncthreads();
  if (threadIdx.x == 0) {
    mbarrier_expect(&full, sizeof tile);
    box_load(tile, &map, 0, 0, &full);  // <- race
  }
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x];  // <- race
  mbarrier_wait(&full, 0);
}
CASE(box_read_behind_a_barrier) {
  Buffer<int> out(kThreads), in(64 * 64, 1);
  box_read_early<<<1, kThreads>>>(out, map_of_words(in, 64, 64));
  finish();
}

// expect: race shared
// wrong: the box is stored by the asynchronous proxy, and the tile by ordinary stores with no fence behind
// them. cure:  fence_proxy() before the barrier.
__global__ void box_unfenced(const __grid_constant__ CUtensorMap map) {
  __shared__ alignas(128) int tile[kRows * kColumns];
  for (int i = threadIdx.x; i < kRows * kColumns; i += kThreads) tile[i] = i;  // <- race
  __syncthreads();
  if (threadIdx.x == 0) {
    box_store(&map, 0, 0, tile);  // <- race
    bulk_commit();
    bulk_wait_read<0>();
  }
}
CASE(box_stored_without_a_proxy_fence) {
  Buffer<int> out(64 * 64);
  box_unfenced<<<1, kThreads>>>(map_of_words(out, 64, 64));
  finish();
}

// expect: use-after-free shared
// wrong: the block leaves while the box may still be read.
// cure:  bulk_wait_read<0>().
__global__ void box_left(const __grid_constant__ CUtensorMap map) {
  __shared__ alignas(128) int tile[kRows * kColumns];
  for (int i = threadIdx.x; i < kRows * kColumns; i += kThreads) tile[i] = i;
  fence_proxy();
  __syncthreads();
  if (threadIdx.x == 0) {
    box_store(&map, 0, 0, tile);  // <- use-after-free
    bulk_commit();
  }
}
CASE(block_leaves_before_its_box) {
  Buffer<int> out(64 * 64);
  box_left<<<1, kThreads>>>(map_of_words(out, 64, 64));
  finish();
}

// expect: illegal-instruction
// wrong: a box may be loaded from before the tensor's beginning, and not stored there.
// cure:  the first box without its border.
__global__ void before_the_tensor(const __grid_constant__ CUtensorMap map) {
  __shared__ alignas(128) int tile[kRows * kColumns];
  for (int i = threadIdx.x; i < kRows * kColumns; i += kThreads) tile[i] = i;
  fence_proxy();
  __syncthreads();
  if (threadIdx.x == 0) {
    box_store(&map, -1, 0, tile);  // <- illegal-instruction
    bulk_commit();
    bulk_wait_read<0>();
  }
}
CASE(box_stored_before_the_tensor) {
  Buffer<int> out(64 * 64);
  before_the_tensor<<<1, kThreads>>>(map_of_words(out, 64, 64));
  finish();
}

// expect: race global
// wrong: two blocks store boxes that overlap by a row.
// cure:  boxes kRows rows apart.
__global__ void overlapping(const __grid_constant__ CUtensorMap map) {
  __shared__ alignas(128) int tile[kRows * kColumns];
  for (int i = threadIdx.x; i < kRows * kColumns; i += kThreads) tile[i] = blockIdx.x;
  fence_proxy();
  __syncthreads();
  if (threadIdx.x == 0) {
    box_store(&map, blockIdx.x * (kRows - 1), 0, tile);  // <- race
    bulk_commit();
    bulk_wait_read<0>();
  }
}
CASE(boxes_that_overlap) {
  Buffer<int> out(64 * 64);
  overlapping<<<2, kThreads>>>(map_of_words(out, 64, 64));
  finish();
}
