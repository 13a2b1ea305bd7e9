// Rung 8: four elements a thread, by 16-byte accesses: a quarter of the tiles, and of the requests.
#include "columns.h"
#include "common/tile_status.h"
#include "prefix_sum.h"

constexpr unsigned kWarp = 32;          // lanes of a warp
constexpr unsigned kWarps = 32;         // warps a block: as many as lanes, so one warp can scan their sums
constexpr int kBlock = kWarp * kWarps;  // 1024 threads
constexpr unsigned kAllLanes = 0xffffffff;  // a bit for each lane of the warp
constexpr int kWide = 4;                    // ints in 16 bytes, the widest a thread loads
constexpr int kTile = kBlock * kWide;       // 4096 elements a block

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
  for (unsigned nearest = 1; nearest <= tile; nearest += kWarp) {
    const unsigned lane = threadIdx.x % kWarp, back = nearest + lane;
    Status status = {Known::prefix, 0};  // of lanes that get beyond the row's first tile
    do {
      if (back <= tile) status = look(word - back);
    } while (__any_sync(kAllLanes, status.known == Known::nothing));
    const unsigned prefixes = __ballot_sync(kAllLanes, status.known == Known::prefix);
    const unsigned last = prefixes ? __ffs(prefixes) - 1 : kWarp - 1;  // the last lane whose value counts
    sum += sum_warp(lane <= last ? status.sum : 0);
    if (prefixes) break;
  }
  return sum;
}

/// Four neighbours of a row, one by one; those behind its end are 0.
__device__ int4 load_singly(const int* row, std::int64_t col, std::int64_t cols) {
  return {col < cols ? row[col] : 0, col + 1 < cols ? row[col + 1] : 0, col + 2 < cols ? row[col + 2] : 0,
          col + 3 < cols ? row[col + 3] : 0};
}

/// What a thread has of a tile. __ldcs tells the caches that each byte comes by only once.
template <bool kAligned>
__device__ void load(int4& v, const int* row, std::int64_t col, std::int64_t cols) {
  // TODO(1): one access of 16 bytes, with __ldcs, if the row is aligned and has all four; else load_singly()
  //          (4 lines).
}

/// The way back; those behind the row's end are dropped.
template <bool kAligned>
__device__ void store(int* row, std::int64_t col, std::int64_t cols, int4 value) {
  // TODO(2): the same on the way out, with __stcs; one by one, those behind the row's end are dropped (8
  //          lines).
}

/// scratch[0] numbers the blocks; the word of tile k is scratch[1 + k].
template <bool kAligned>
__global__ void tiles_kernel(int* out, const int* in, std::int64_t cols, unsigned tiles_a_row, Kind kind,
                             Word* scratch) {
  __shared__ unsigned number;
  __shared__ int before_tile;
  if (threadIdx.x == 0) number = draw_number(scratch);
  __syncthreads();  // all threads know the block's number
  Word* const word = scratch + 1 + number;
  const unsigned row = number / tiles_a_row, tile = number % tiles_a_row;
  const std::int64_t col = static_cast<std::int64_t>(tile) * kTile + threadIdx.x * kWide;

  // TODO(3): load the thread's four, and make v the inclusive sums of them, one after the other: then v.w is
  //          their total, which scan_block() takes. The first warp publishes and looks back as in rung 7. Add
  //          what lies before the thread; for exclusive sums, move them one place on (which value comes
  //          first?); store (19 lines).
}

cudaError_t prefix_sum(int* out, const int* in, std::int64_t rows, std::int64_t cols, Kind kind,
                       Direction direction, unsigned long long* scratch) {
  if (rows == 0 || cols == 0) return cudaSuccess;
  if (direction == Direction::down_columns) return columns_prefix_sum(out, in, rows, cols, kind);
  const unsigned tiles_a_row = static_cast<unsigned>((cols + kTile - 1) / kTile);
  const unsigned tiles = static_cast<unsigned>(rows) * tiles_a_row;
  // No number is drawn yet, and nothing is known of any tile.
  const cudaError_t error = cudaMemsetAsync(scratch, 0, (1 + static_cast<std::size_t>(tiles)) * sizeof(Word));
  if (error != cudaSuccess) return error;
  // 16-byte accesses need places at multiples of 16 bytes, in every row.
  // TODO(4): 16-byte accesses need places at multiples of 16 bytes, in every row. When are all rows of both
  //          arrays there? Choose the kernel accordingly and launch it (4 lines).
  return cudaGetLastError();
}
