// Rung 5: many blocks a row. Each scans a tile, the tiles' totals are scanned, and the sums added on.
#include "columns.h"
#include "prefix_sum.h"

constexpr unsigned kWarp = 32;          // lanes of a warp
constexpr unsigned kWarps = 32;         // warps a block: as many as lanes, so one warp can scan their sums
constexpr int kBlock = kWarp * kWarps;  // 1024 threads, and elements of a tile
constexpr unsigned kAllLanes = 0xffffffff;  // a bit for each lane of the warp

struct Sums {
  int before;  ///< of all that stands before, in the block
  int total;   ///< of the whole block
};

/// The sum of this lane's value and those of all lower lanes of the warp.
__device__ int scan_warp(int value) {
  const unsigned lane = threadIdx.x % kWarp;
#pragma unroll
  for (unsigned offset = 1; offset < kWarp; offset *= 2) {
    const int lower = __shfl_up_sync(kAllLanes, value, offset);
    if (lane >= offset) value += lower;  // the lowest lanes get their own value back: not to be added
  }
  return value;
}

/// Called by all threads of the block, each with the sum of its warp.
__device__ Sums scan_warps(int sum) {
  __shared__ int up_to_warp[kWarps];  // first the sum of each warp, then of all warps up to it
  const unsigned lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
  if (lane == 0) up_to_warp[warp] = sum;
  __syncthreads();  // all warps have left their sum before the first warp reads them
  if (warp == 0) up_to_warp[lane] = scan_warp(up_to_warp[lane]);
  __syncthreads();  // and it is done before all read its sums
  return {up_to_warp[warp] - sum, up_to_warp[kWarps - 1]};
}

/// Called by all threads of the block, each with its value.
__device__ Sums scan_block(int value) {
  const int in_warp = scan_warp(value);
  const Sums warps = scan_warps(__shfl_sync(kAllLanes, in_warp, kWarp - 1));
  return {warps.before + in_warp - value, warps.total};
}

/// Scans each tile by itself and leaves its total. May work in place.
__global__ void tiles_kernel(int* out, const int* in, std::int64_t cols, unsigned tiles_a_row, Kind kind,
                             int* totals) {
  // TODO(1): which row and which tile of it does this block have, and which element this thread? Scan the
  //          tile with scan_block(), write what `kind` wants, and leave the tile's total in
  //          totals[blockIdx.x] (6 lines).
}

/// Adds to every element what lies before its tile: `before` has one sum a tile.
__global__ void add_kernel(int* out, std::int64_t cols, unsigned tiles_a_row, const int* before) {
  // TODO(2): find this thread's element as in tiles_kernel, and add the sum of its block (3 lines).
}

/// The totals of a row's tiles are a row of a smaller matrix, which this function scans by calling itself.
cudaError_t scan_rows(int* out, const int* in, std::int64_t rows, std::int64_t cols, Kind kind, int* totals) {
  // TODO(3): scan the tiles, all rows in one launch. Unless a tile holds the whole row, turn the totals in
  //          place into what lies before each tile (which kind of sum is that?), and add those to the tiles
  //          (8 lines). Memory behind the totals of all rows is free for the totals of the totals.
  return cudaGetLastError();
}

cudaError_t prefix_sum(int* out, const int* in, std::int64_t rows, std::int64_t cols, Kind kind,
                       Direction direction, unsigned long long* scratch) {
  if (rows == 0 || cols == 0) return cudaSuccess;
  if (direction == Direction::down_columns) return columns_prefix_sum(out, in, rows, cols, kind);
  return scan_rows(out, in, rows, cols, kind, reinterpret_cast<int*>(scratch));
}
