// Rung 2: one launch. How many tiles there are is known on the device alone: the host launches as many blocks
// as there could be, and each finds the tile of its number.
#include "epilogue.h"
#include "grouped_matmul.h"
#include "ring.h"

constexpr int kWarp = 32;

/// Row tiles of the experts before each one, and of all: expert e has numbers tiles_before[e] to
/// tiles_before[e + 1] - 1.
struct List {
  int tiles_before[kMostExperts + 1];
};

/// Makes the list; a warp does this.
__device__ void count_tiles(List& list, const int* start, int experts) {
  const int lane = threadIdx.x % kWarp;
  int before = 0;  // tiles of experts before e0
  for (int e0 = 0; e0 < experts; e0 += kWarp) {
    const int e = e0 + lane;
    // TODO(1): the tiles of expert e, added up over the lanes: lane t stores the sum of lanes 0 to t, and of
    //          all experts before e0, at the place behind its expert. `before` moves on (8 lines).
    // BEGIN SOLUTION
    int tiles = e < experts ? (start[e + 1] - start[e] + BM - 1) / BM : 0;
    for (int distance = 1; distance < kWarp; distance *= 2) {
      const int other = __shfl_up_sync(0xffffffff, tiles, distance);
      if (lane >= distance) tiles += other;
    }
    if (e < experts) list.tiles_before[e + 1] = before + tiles;
    before += __shfl_sync(0xffffffff, tiles, kWarp - 1);
    // END SOLUTION
  }
  if (lane == 0) list.tiles_before[0] = 0;
}

/// The expert of a row tile.
/// @pre tile < list.tiles_before[experts]
__device__ int find_expert(const List& list, int experts, int tile) {
  int low = 0, high = experts;  // low's first number is <= tile, high's is larger
  // TODO(2): halve the distance until they are neighbours. Which of two experts with the same first number
  //          has the tile (4 lines)?
  // BEGIN SOLUTION
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    (list.tiles_before[middle] <= tile ? low : high) = middle;
  }
  // END SOLUTION
  return low;
}

__global__ void __launch_bounds__(kThreads, 1)
    matmul_kernel(__nv_bfloat16* y, const __grid_constant__ CUtensorMap map_x,
                  const __grid_constant__ CUtensorMap map_w, const int* start, int experts, int n, int k) {
  extern __shared__ __align__(1024) unsigned char memory[];
  Ring& ring = *reinterpret_cast<Ring*>(memory);
  __shared__ List list;
  if (threadIdx.x < kWarp) count_tiles(list, start, experts);
  initialise(ring, 1);  // and the list is there: it ends with a barrier
  const int tiles_across = (n + BN - 1) / BN;
  const int number = blockIdx.x / tiles_across;  // of the row tile
  Tile tile = {};
  // TODO(3): blocks behind the last tile leave; the others find their expert and their tile (6 lines).
  // BEGIN SOLUTION
  if (number >= list.tiles_before[experts]) return;
  const int expert = find_expert(list, experts, number);
  const int down = number - list.tiles_before[expert], across = blockIdx.x % tiles_across;
  tile = {start[expert] + down * BM, start[expert + 1], across * BN, expert};
  // END SOLUTION
  Place place;
  if (group_number() < 0) {
    registers_decrease<40>();
    if (threadIdx.x == 0) copy(ring, place, map_x, map_w, tile, n, k);
  } else {
    registers_increase<232>();
    float sum[BN / 2];  // the first products overwrite them
    multiply(ring, place, sum, k);
    store_rows(y, ring, sum, tile, n, [](int row) { return row; });
  }
}

cudaError_t grouped_matmul(__nv_bfloat16* y, const __nv_bfloat16* x, const __nv_bfloat16* w, const int* start,
                           int experts, int rows, int n, int k) {
  if (rows == 0 || n == 0) return cudaSuccess;
  if (k == 0) return cudaMemsetAsync(y, 0, sizeof(__nv_bfloat16) * rows * n);  // no tensor map has 0 columns
  CUtensorMap map_x, map_w;
  cudaError_t error = make_tensor_map(&map_x, x, rows, k, BM);
  if (error == cudaSuccess) error = make_tensor_map(&map_w, w, experts * n, k, BN);
  if (error == cudaSuccess)
    error = cudaFuncSetAttribute(matmul_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Ring));
  if (error != cudaSuccess) return error;
  int most = 1;  // row tiles that there could be
  // TODO(4): no routing of `rows` rows to `experts` experts has more (1 line).
  // BEGIN SOLUTION
  most = (rows + experts * (BM - 1)) / BM;
  // END SOLUTION
  const int blocks = most * ((n + BN - 1) / BN);
  matmul_kernel<<<blocks, kThreads, sizeof(Ring)>>>(y, map_x, map_w, start, experts, n, k);
  return cudaGetLastError();
}
