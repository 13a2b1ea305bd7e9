// Rung 7: a whole warp looks back, at 32 tiles at a time.
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

/// The sum of the values of all lanes, in every lane.
__device__ int sum_warp(int value) {
#pragma unroll
  for (unsigned mask = kWarp / 2; mask > 0; mask /= 2) value += __shfl_xor_sync(kAllLanes, value, mask);
  return value;
}

/// The sum of all tiles of the row before this one, found by the lanes of a warp together.
///
/// @param word  of this tile; those of the `tile` earlier tiles of the row lie just below it
__device__ int look_back(Word* word, unsigned tile) {
  int sum = 0;
  // TODO(1): 32 tiles at a time: lane 0 looks at the tile `nearest` places back, lane 1 at the one before
  //          that, and so on; lanes that get beyond the row's first tile hold a prefix of 0. All go on until
  //          something is known of every lane's tile: __any_sync(kAllLanes, condition) asks all lanes at
  //          once. Then __ballot_sync gives a bit for each lane that holds a prefix. If there is one, add the
  //          values of the lanes up to the lowest of them, and be done; else add all and go on (11 lines).
  return sum;
}

/// scratch[0] numbers the blocks; the word of tile k is scratch[1 + k].
__global__ void tiles_kernel(int* out, const int* in, std::int64_t cols, unsigned tiles_a_row, Kind kind,
                             Word* scratch) {
  __shared__ unsigned number;
  __shared__ int before_tile;
  if (threadIdx.x == 0) number = draw_number(scratch);
  __syncthreads();  // all threads know the block's number
  Word* const word = scratch + 1 + number;
  const unsigned row = number / tiles_a_row, tile = number % tiles_a_row;
  const std::int64_t col = static_cast<std::int64_t>(tile) * kBlock + threadIdx.x, i = row * cols + col;

  const int value = col < cols ? in[i] : 0;
  const Sums sums = scan_block(value);
  // TODO(2): who publishes, and who looks back? All lanes of the first warp have to call look_back(); a
  //          single one publishes and leaves before_tile (8 lines).
  __syncthreads();  // before_tile is there
  if (col < cols) out[i] = before_tile + sums.before + (kind == Kind::inclusive ? value : 0);
}

cudaError_t prefix_sum(int* out, const int* in, std::int64_t rows, std::int64_t cols, Kind kind,
                       Direction direction, unsigned long long* scratch) {
  if (rows == 0 || cols == 0) return cudaSuccess;
  if (direction == Direction::down_columns) return columns_prefix_sum(out, in, rows, cols, kind);
  const unsigned tiles_a_row = static_cast<unsigned>((cols + kBlock - 1) / kBlock);
  const unsigned tiles = static_cast<unsigned>(rows) * tiles_a_row;
  // No number is drawn yet, and nothing is known of any tile.
  const cudaError_t error = cudaMemsetAsync(scratch, 0, (1 + static_cast<std::size_t>(tiles)) * sizeof(Word));
  if (error != cudaSuccess) return error;
  tiles_kernel<<<tiles, kBlock>>>(out, in, cols, tiles_a_row, kind, scratch);
  return cudaGetLastError();
}
