// Rung 6: one pass. A tile publishes its total and looks back at the tiles before it (decoupled look-back).
#include "columns.h"
#include "common/tile_status.h"
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

/// The sum of all tiles of the row before this one, found by one thread.
///
/// @param word  of this tile; those of the `tile` earlier tiles of the row lie just below it
__device__ int look_back(Word* word, unsigned tile) {
  int sum = 0;
  // TODO(1): go back from tile to tile and look() at each until something is known of it. A total is added,
  //          and the search goes on; a prefix is added, and the search is over (8 lines).
  return sum;
}

/// scratch[0] numbers the blocks; the word of tile k is scratch[1 + k].
__global__ void tiles_kernel(int* out, const int* in, std::int64_t cols, unsigned tiles_a_row, Kind kind,
                             Word* scratch) {
  __shared__ unsigned number;
  __shared__ int before_tile;
  // TODO(2): the kernel, in this order: thread 0 draws the block's number, for all to know; the block scans
  //          its tile; thread 0 publishes the tile's total in the tile's word at once, so that later tiles
  //          need not wait, looks back, publishes the prefix, and leaves what lies before the tile in
  //          before_tile; all add it and write (15 lines). Where are the two barriers?
}

cudaError_t prefix_sum(int* out, const int* in, std::int64_t rows, std::int64_t cols, Kind kind,
                       Direction direction, unsigned long long* scratch) {
  if (rows == 0 || cols == 0) return cudaSuccess;
  if (direction == Direction::down_columns) return columns_prefix_sum(out, in, rows, cols, kind);
  const unsigned tiles_a_row = static_cast<unsigned>((cols + kBlock - 1) / kBlock);
  const unsigned tiles = static_cast<unsigned>(rows) * tiles_a_row;
  // TODO(3): let no number be drawn yet and nothing be known of any tile: how many words, of how many
  //          bytes each, does cudaMemsetAsync() set to 0? Then launch a block for each tile (3 lines).
  return cudaGetLastError();
}
