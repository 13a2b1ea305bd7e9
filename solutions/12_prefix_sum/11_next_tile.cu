// Rung 11: blocks stay, and take tile after tile. While one waits in shared memory for what lies before it,
// the next one is on its way into the registers.
#include "columns.h"
#include "common/grid.h"
#include "common/tile_status.h"
#include "prefix_sum.h"

constexpr unsigned kWarp = 32;          // lanes of a warp
constexpr unsigned kWarps = 16;         // warps a block
constexpr int kBlock = kWarp * kWarps;  // 512 threads with 128 registers each: all that a multiprocessor has
constexpr unsigned kAllLanes = 0xffffffff;  // a bit for each lane of the warp
constexpr int kWide = 4;                    // ints in 16 bytes, the widest a thread loads
constexpr int kVectors = 20;                // loads a thread has under way
constexpr int kWarpRow = kWarp * kWide;     // 128 neighbours that a warp takes with one load
constexpr int kWarpTile = kVectors * kWarpRow;
constexpr int kTile = kWarps * kWarpTile;  // 40960 elements a block

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
  if (warp == 0) {
    const int up_to = scan_warp(lane < kWarps ? up_to_warp[lane] : 0);  // a warp has more lanes than sums
    if (lane < kWarps) up_to_warp[lane] = up_to;
  }
  __syncthreads();  // and it is done before all read its sums
  return {up_to_warp[warp] - sum, up_to_warp[kWarps - 1]};
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

/// What a thread has of a tile: four neighbours in each of its warp's rows of 128. __ldcs tells the caches
/// that each byte comes by only once.
template <bool kAligned>
__device__ void load(int4 (&v)[kVectors], const int* row, std::int64_t col, std::int64_t cols) {
  if (kAligned && col + (kVectors - 1) * kWarpRow + kWide <= cols) {  // all are in the row:
#pragma unroll  // no condition stands between their loads, so all are under way at once
    for (int k = 0; k < kVectors; ++k) v[k] = __ldcs(reinterpret_cast<const int4*>(row + col + k * kWarpRow));
  } else {
#pragma unroll
    for (int k = 0; k < kVectors; ++k) v[k] = load_singly(row, col + k * kWarpRow, cols);
  }
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

/// Turns what a warp has into its sums within the warp.
__device__ void scan_tile_of_warp(int4 (&v)[kVectors], Kind kind) {
  int done = 0;  // the sum of all earlier rows of the warp
#pragma unroll
  for (int k = 0; k < kVectors; ++k) {
    v[k].y += v[k].x;
    v[k].z += v[k].y;
    v[k].w += v[k].z;
    const int up_to_lane = scan_warp(v[k].w), before = done + up_to_lane - v[k].w;
    done += __shfl_sync(kAllLanes, up_to_lane, kWarp - 1);
    v[k] = {before + v[k].x, before + v[k].y, before + v[k].z, before + v[k].w};
    if (kind == Kind::exclusive) v[k] = {before, v[k].x, v[k].y, v[k].z};
  }
}

/// scratch[0] numbers the tiles; the word of tile k is scratch[1 + k].
template <bool kAligned>
__global__ void __launch_bounds__(kBlock)
    tiles_kernel(int* out, const int* in, std::int64_t cols, unsigned tiles_a_row, unsigned tiles, Kind kind,
                 Word* scratch) {
  extern __shared__ int4 waiting[];  // the tile, scanned, until it is known what lies before it
  __shared__ unsigned numbers[2];    // of this block's next tiles, in turn
  __shared__ int before_tile;
  if (threadIdx.x == 0) {
    numbers[0] = draw_number(scratch);
    numbers[1] = draw_number(scratch);
  }
  __syncthreads();  // all threads know the first two numbers
  // A warp's 2560 elements are twenty rows of 128, and a lane has four neighbours in each of them.
  const unsigned lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
  const unsigned first = warp * kWarpTile + lane * kWide;

  int4 v[kVectors];
  const auto fetch = [&](unsigned number) {
    const unsigned row = number / tiles_a_row, tile = number % tiles_a_row;
    const std::int64_t col = static_cast<std::int64_t>(tile) * kTile + first;
    load<kAligned>(v, in + row * cols, col, cols);
  };
  unsigned number = numbers[0];
  if (number < tiles) fetch(number);
  // TODO(1): tile after tile, until the number in hand is beyond the last tile. In round 1, 2, 3, ...: sum up
  //          the registers, scan_warps(), publish the total; the next number is numbers[round % 2], and one
  //          thread that does not look back draws the one after it into the other place; scan the registers;
  //          put them into `waiting`, each vector at its own place, waiting[k * kBlock + threadIdx.x]. Now
  //          the registers are free: fetch() the next tile, if there is one; look back, publish the prefix;
  //          take the sums up again, add what lies before them, and store() them (33 lines).
  // BEGIN SOLUTION
  for (unsigned round = 1; number < tiles; ++round) {
    Word* const word = scratch + 1 + number;
    const unsigned row = number / tiles_a_row, tile = number % tiles_a_row;
    const std::int64_t col = static_cast<std::int64_t>(tile) * kTile + first;
    int loaded = 0;
#pragma unroll
    for (int k = 0; k < kVectors; ++k) loaded += v[k].x + v[k].y + v[k].z + v[k].w;
    loaded = sum_warp(loaded);
    const Sums sums = scan_warps(loaded);
    if (threadIdx.x == 0) publish(word, {Known::total, sums.total});
    const unsigned next = numbers[round % 2];
    // A round ahead, so that nobody waits for the counter.
    if (threadIdx.x == kWarp) numbers[(round + 1) % 2] = draw_number(scratch);
    scan_tile_of_warp(v, kind);
#pragma unroll
    for (int k = 0; k < kVectors; ++k) waiting[k * kBlock + threadIdx.x] = v[k];
    if (next < tiles) fetch(next);  // nobody waits for it before the next round adds it up
    if (threadIdx.x < kWarp) {      // the first warp, all of it
      const int before = look_back(word, tile);
      if (threadIdx.x == 0) {
        publish(word, {Known::prefix, before + sums.total});
        before_tile = before;
      }
    }
    __syncthreads();  // before_tile is there
    const int before = before_tile + sums.before;
#pragma unroll
    for (int k = 0; k < kVectors; ++k) {
      const int4 w = waiting[k * kBlock + threadIdx.x];
      store<kAligned>(out + row * cols, col + k * kWarpRow, cols,
                      {before + w.x, before + w.y, before + w.z, before + w.w});
    }
    number = next;
  }
  // END SOLUTION
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
  const bool aligned = addresses % sizeof(int4) == 0 && (rows == 1 || cols % kWide == 0);
  const auto kernel = aligned ? tiles_kernel<true> : tiles_kernel<false>;
  // A kernel may use more than 48 KiB of shared memory only if the runtime is told so.
  // TODO(2): allow the kernel a tile of it (cudaFuncSetAttribute, as in lesson 08), and launch one block for
  //          each multiprocessor, or for each tile if there are fewer: ladder::grid_stride_blocks(tiles, 1,
  //          1) says how many (6 lines).
  // BEGIN SOLUTION
  constexpr int kBytes = kTile * sizeof(int);
  const cudaError_t refused =
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes);
  if (refused != cudaSuccess) return refused;
  const unsigned blocks = ladder::grid_stride_blocks(tiles, 1, 1);  // one for each multiprocessor
  kernel<<<blocks, kBlock, kBytes>>>(out, in, cols, tiles_a_row, tiles, kind, scratch);
  // END SOLUTION
  return cudaGetLastError();
}
