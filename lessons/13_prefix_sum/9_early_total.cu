// Rung 9: the tile's total is published before anything is scanned: others' look-back hides behind our own
// scan.
#include "columns.h"
#include "prefix_sum.h"
#include "status.h"

constexpr unsigned kWarp = 32;  // lanes of a warp
constexpr unsigned kWarps = 32;
constexpr int kBlock = kWarp * kWarps;  // 1024 threads with 64 registers each: all that a multiprocessor has
constexpr unsigned kAllLanes = 0xffffffff;  // a bit for each lane of the warp
constexpr int kWide = 4;                    // ints in 16 bytes, the widest a thread loads
constexpr int kVectors = 8;                 // loads a thread has under way
constexpr int kWarpRow = kWarp * kWide;     // 128 neighbours that a warp takes with one load
constexpr int kWarpTile = kVectors * kWarpRow;
constexpr int kTile = kWarps * kWarpTile;  // 32768 elements a block: few tiles, so few prefixes to wait for

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
    const unsigned last =
        prefixes ? __ffs(prefixes) - 1 : kWarp - 1;  // the lane whose value is the last to add
    sum += sum_warp(lane <= last ? status.sum : 0);
    if (prefixes) break;
  }
  return sum;
}

/// Four neighbours of a row; those behind its end are 0.
__device__ int4 load(const int* row, std::int64_t col, std::int64_t cols) {
  return {col < cols ? row[col] : 0, col + 1 < cols ? row[col + 1] : 0, col + 2 < cols ? row[col + 2] : 0,
          col + 3 < cols ? row[col + 3] : 0};
}

/// The way back; those behind the row's end are dropped.
template <bool kAligned>
__device__ void store(int* row, std::int64_t col, std::int64_t cols, int4 value) {
  if (kAligned && col + kWide <= cols) {
    __stcs(reinterpret_cast<int4*>(row + col), value);
  } else {
    if (col < cols) row[col] = value.x;
    if (col + 1 < cols) row[col + 1] = value.y;
    if (col + 2 < cols) row[col + 2] = value.z;
    if (col + 3 < cols) row[col + 3] = value.w;
  }
}

/// scratch[0] numbers the blocks; the word of tile k is scratch[1 + k].
template <bool kAligned>
__global__ void __launch_bounds__(kBlock)
    rows_kernel(int* out, const int* in, std::int64_t cols, unsigned tiles_a_row, Kind kind, Word* scratch) {
  __shared__ unsigned number;
  __shared__ int warp_sums[kWarps];    // of all that each warp has
  __shared__ int before_warp[kWarps];  // of all elements of the row before each warp's
  const unsigned lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
  if (threadIdx.x == 0) number = draw_number(scratch);
  __syncthreads();  // all threads know the block's number
  const unsigned row = number / tiles_a_row, tile = number % tiles_a_row;
  in += row * cols;
  out += row * cols;
  // A warp's 1024 elements are eight rows of 128, and a lane has four neighbours in each of them.
  const std::int64_t col = static_cast<std::int64_t>(tile) * kTile + warp * kWarpTile + lane * kWide;

  // All tiles of a row but the last are whole: no condition stands between their loads, so all are under way.
  const bool whole = (static_cast<std::int64_t>(tile) + 1) * kTile <= cols;
  int4 v[kVectors];
  if (kAligned && whole) {
#pragma unroll
    for (int k = 0; k < kVectors; ++k) v[k] = __ldcs(reinterpret_cast<const int4*>(in + col + k * kWarpRow));
  } else {
#pragma unroll
    for (int k = 0; k < kVectors; ++k) v[k] = load(in, col + k * kWarpRow, cols);
  }

  // TODO(1): sum up all that this warp has loaded, and leave the sum in warp_sums (5 lines).
  __syncthreads();  // all warps have left their sum before the first warp reads them
  if (warp == 0) {
    Word* const word = scratch + 1 + number;
    const int sum = warp_sums[lane];
    const int up_to_warp = scan_warp(sum);
    const int total = __shfl_sync(kAllLanes, up_to_warp, kWarp - 1);
    if (lane == 0) publish(word, {Known::total, total});
    const int before_tile = look_back(word, tile);
    if (lane == 0) publish(word, {Known::prefix, before_tile + total});
    before_warp[lane] = before_tile + up_to_warp - sum;
  }

  // Meanwhile the other warps scan.
  int before[kVectors];  // what the warp has before this lane's k-th vector
  int warp_sum = 0;
#pragma unroll
  for (int k = 0; k < kVectors; ++k) {
    v[k].y += v[k].x;
    v[k].z += v[k].y;
    v[k].w += v[k].z;
    const int up_to_lane = scan_warp(v[k].w);
    before[k] = warp_sum + up_to_lane - v[k].w;
    warp_sum += __shfl_sync(kAllLanes, up_to_lane, kWarp - 1);
  }
  // TODO(2): what has to happen before a warp reads before_warp (1 line)?

#pragma unroll
  for (int k = 0; k < kVectors; ++k) {
    const int b = before_warp[warp] + before[k];
    int4 sums = {b + v[k].x, b + v[k].y, b + v[k].z, b + v[k].w};
    if (kind == Kind::exclusive) sums = {b, sums.x, sums.y, sums.z};
    store<kAligned>(out, col + k * kWarpRow, cols, sums);
  }
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
  const auto addresses = reinterpret_cast<std::uintptr_t>(out) | reinterpret_cast<std::uintptr_t>(in);
  if (addresses % sizeof(int4) == 0 && (rows == 1 || cols % kWide == 0))
    rows_kernel<true><<<tiles, kBlock>>>(out, in, cols, tiles_a_row, kind, scratch);
  else
    rows_kernel<false><<<tiles, kBlock>>>(out, in, cols, tiles_a_row, kind, scratch);
  return cudaGetLastError();
}
