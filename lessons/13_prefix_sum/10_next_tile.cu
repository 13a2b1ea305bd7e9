// Rung 10: blocks stay, and take tile after tile. While one waits in shared memory for what lies before it,
// the next one is on its way into the registers.
#include "columns.h"
#include "common/grid.h"
#include "prefix_sum.h"
#include "status.h"

constexpr unsigned kWarp = 32;  // lanes of a warp
constexpr unsigned kWarps = 16;
constexpr int kBlock = kWarp * kWarps;      // 512 threads with 128 registers each: all that there are
constexpr unsigned kAllLanes = 0xffffffff;  // a bit for each lane of the warp
constexpr int kWide = 4;                    // ints in 16 bytes, the widest a thread loads
constexpr int kVectors = 24;                // loads a thread has under way
constexpr int kWarpRow = kWarp * kWide;     // 128 neighbours that a warp takes with one load
constexpr int kWarpTile = kVectors * kWarpRow;
constexpr int kTile =
    kWarps * kWarpTile;  // 49152 elements: 192 KiB in registers, and as much in shared memory

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

/// scratch[0] numbers the tiles; the word of tile k is scratch[1 + k].
template <bool kAligned>
__global__ void __launch_bounds__(kBlock)
    rows_kernel(int* out, const int* in, std::int64_t cols, unsigned tiles_a_row, unsigned tiles, Kind kind,
                Word* scratch) {
  extern __shared__ int4 waiting[];    // the tile, scanned, until it is known what lies before it
  __shared__ unsigned numbers[2];      // of this block's next tiles, in turn
  __shared__ int warp_sums[kWarps];    // of all that each warp has
  __shared__ int before_warp[kWarps];  // of all elements of the row before each warp's
  const unsigned lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
  if (threadIdx.x == 0) {
    numbers[0] = draw_number(scratch);
    numbers[1] = draw_number(scratch);
  }
  __syncthreads();  // all threads know the first two numbers

  // In each tile a warp has 24 rows of 128 elements, and a lane four neighbours in each of them.
  const int first = warp * kWarpTile + lane * kWide;
  int4* const mine = waiting + first / kWide;  // used by this thread alone: no barrier stands guard over it
  int4 v[kVectors];
  const auto fetch = [&](unsigned number) {
    const std::int64_t begin = static_cast<std::int64_t>(number % tiles_a_row) * kTile, col = begin + first;
    const int* row = in + number / tiles_a_row * cols;
    // No condition stands between the loads of a whole tile, so all are under way at once.
    if (kAligned && begin + kTile <= cols) {
#pragma unroll
      for (int k = 0; k < kVectors; ++k)
        v[k] = __ldcs(reinterpret_cast<const int4*>(row + col + k * kWarpRow));
    } else {
#pragma unroll
      for (int k = 0; k < kVectors; ++k) v[k] = load(row, col + k * kWarpRow, cols);
    }
  };
  // Scans what the warp has, and puts the sums into shared memory.
  const auto lay_down = [&] {
    int warp_sum = 0;
#pragma unroll
    for (int k = 0; k < kVectors; ++k) {
      v[k].y += v[k].x;
      v[k].z += v[k].y;
      v[k].w += v[k].z;
      const int up_to_lane = scan_warp(v[k].w), b = warp_sum + up_to_lane - v[k].w;
      warp_sum += __shfl_sync(kAllLanes, up_to_lane, kWarp - 1);
      int4 sums = {b + v[k].x, b + v[k].y, b + v[k].z, b + v[k].w};
      if (kind == Kind::exclusive) sums = {b, sums.x, sums.y, sums.z};
      mine[k * kWarp] = sums;
    }
  };

  unsigned number = numbers[0];
  if (number < tiles) fetch(number);
  for (unsigned round = 1; number < tiles; ++round) {
    int loaded = 0;
#pragma unroll
    for (int k = 0; k < kVectors; ++k) loaded += v[k].x + v[k].y + v[k].z + v[k].w;
    loaded = sum_warp(loaded);
    if (lane == 0) warp_sums[warp] = loaded;
    __syncthreads();  // all warps have left their sum, and are done with the tile before
    const unsigned next = numbers[round % 2];
    Word* const word = scratch + 1 + number;
    int sum = 0, up_to_warp = 0, total = 0;
    if (warp == 0) {  // first of all, for others wait for it
      if (lane < kWarps) sum = warp_sums[lane];
      up_to_warp = scan_warp(sum);
      total = __shfl_sync(kAllLanes, up_to_warp, kWarp - 1);
      if (lane == 0) publish(word, {Known::total, total});
    }
    // A round ahead, so that nobody waits for the counter.
    if (threadIdx.x == kWarp) numbers[(round + 1) % 2] = draw_number(scratch);

    // TODO(1): lay_down() the tile. Then its registers are free: fetch() the next one, if there is one (2
    //          lines).
    if (warp == 0) {
      const int before_tile = look_back(word, number % tiles_a_row);
      if (lane == 0) publish(word, {Known::prefix, before_tile + total});
      if (lane < kWarps) before_warp[lane] = before_tile + up_to_warp - sum;
    }
    __syncthreads();  // before_warp is there
    const int b = before_warp[warp];
    const std::int64_t col = static_cast<std::int64_t>(number % tiles_a_row) * kTile + first;
    int* const row = out + number / tiles_a_row * cols;
    // TODO(2): take this thread's sums up again, add b, and store() them in row `row` from column `col` on (4
    //          lines).
    number = next;
  }
}

template <bool kAligned>
cudaError_t launch(int* out, const int* in, std::int64_t cols, unsigned tiles_a_row, unsigned tiles,
                   Kind kind, Word* scratch) {
  constexpr int kBytes = kTile * sizeof(int);
  // A kernel may use more than 48 KiB of shared memory only if the runtime is told so.
  const cudaError_t error =
      cudaFuncSetAttribute(rows_kernel<kAligned>, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes);
  if (error != cudaSuccess) return error;
  const unsigned blocks = ladder::grid_stride_blocks(tiles, 1, 1);  // one for each multiprocessor
  rows_kernel<kAligned><<<blocks, kBlock, kBytes>>>(out, in, cols, tiles_a_row, tiles, kind, scratch);
  return cudaGetLastError();
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
    return launch<true>(out, in, cols, tiles_a_row, tiles, kind, scratch);
  return launch<false>(out, in, cols, tiles_a_row, tiles, kind, scratch);
}
