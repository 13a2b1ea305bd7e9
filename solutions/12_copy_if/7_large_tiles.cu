// Rung 7: 32 elements a thread, and whole lines written: fewer tiles to look back over, in all the shared
// memory there is.
#include "copy_if.h"
#include "scan.h"

constexpr unsigned kWarps = 16;
constexpr int kBlock = kWarp * kWarps;   // 512 threads
constexpr int kBlocks = 2;               // a multiprocessor's registers are shared out for that many
constexpr int kWide = 4;                 // ints in 16 bytes, the widest a thread loads
constexpr int kVectors = 8;              // loads a thread has under way
constexpr int kWarpRow = kWarp * kWide;  // 128 neighbours that a warp takes with one load
constexpr int kWarpTile = kVectors * kWarpRow;
constexpr int kTile = kWarps * kWarpTile;  // 16384 elements a block: 64 KiB
constexpr int kWords = 2;                  // of four counts each, one for each vector

/// Four neighbours; those behind the end are 0, which is not wanted.
__device__ int4 load(const int* in, std::int64_t i, std::int64_t n) {
  return {i < n ? in[i] : 0, i + 1 < n ? in[i + 1] : 0, i + 2 < n ? in[i + 2] : 0, i + 3 < n ? in[i + 3] : 0};
}

__device__ unsigned count_wanted(int4 v) { return keep(v.x) + keep(v.y) + keep(v.z) + keep(v.w); }

/// Writes the wanted ones of four, one behind the other.
__device__ void compact(int* to, int4 v) {
  if (keep(v.x)) *to++ = v.x;
  if (keep(v.y)) *to++ = v.y;
  if (keep(v.z)) *to++ = v.z;
  if (keep(v.w)) *to = v.w;
}

/// Called by all threads of the block: copies `n` ints from shared memory to places that start anywhere.
__device__ void write(int* to, const int* from, int n) {
  int behind = 0;
  // TODO(1): `to` stands so many ints behind the start of a line, which is a multiple of 128 bytes (1 line).
  // BEGIN SOLUTION
  behind = reinterpret_cast<std::uintptr_t>(to) / sizeof(int) % kWarp;
  // END SOLUTION
  // TODO(2): write, neighbouring threads neighbouring ints, in rounds of kBlock. Begin `behind` ints before
  //          `to`, and leave out what lies before it: then every warp writes one line (2 lines).
  // BEGIN SOLUTION
  for (int k = static_cast<int>(threadIdx.x) - behind; k < n; k += kBlock)
    if (k >= 0) __stcs(to + k, from[k]);
  // END SOLUTION
}

/// scratch[0] numbers the tiles; the word of tile k is scratch[1 + k].
template <bool kAligned>
__global__ void __launch_bounds__(kBlock, kBlocks)
    copy_if_kernel(int* out, int* kept, const int* in, std::int64_t n, Word* scratch) {
  extern __shared__ int compacted[];  // [kTile]: the tile's wanted elements, without gaps
  __shared__ int warp_totals[kWarps];
  __shared__ unsigned number;
  __shared__ int start;
  const unsigned lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
  if (threadIdx.x == 0) number = draw_number(scratch);
  __syncthreads();  // all threads know the block's number

  // A warp's 1024 elements are eight rows of 128, and a lane has four neighbours in each of them.
  const std::int64_t i = static_cast<std::int64_t>(number) * kTile + warp * kWarpTile + lane * kWide;
  // All tiles but the last are whole: no condition stands between their loads, so all are under way at once.
  const bool whole = (static_cast<std::int64_t>(number) + 1) * kTile <= n;
  int4 v[kVectors];
  if (kAligned && whole) {
#pragma unroll
    for (int k = 0; k < kVectors; ++k) v[k] = __ldcs(reinterpret_cast<const int4*>(in + i + k * kWarpRow));
  } else {
#pragma unroll
    for (int k = 0; k < kVectors; ++k) v[k] = load(in, i + k * kWarpRow, n);
  }

  // A row has at most 128 wanted elements, which needs 8 bits: four rows' counts fit into one word.
  unsigned mine[kWords] = {}, up_to_lane[kWords], row_totals[kWords];
#pragma unroll
  for (int k = 0; k < kVectors; ++k) mine[k / 4] |= count_wanted(v[k]) << 8 * (k % 4);
#pragma unroll
  for (int w = 0; w < kWords; ++w) {
    up_to_lane[w] = scan_warp(mine[w]);
    row_totals[w] = __shfl_sync(kAllLanes, up_to_lane[w], kWarp - 1);
  }
  int warp_total = 0;
#pragma unroll
  for (int k = 0; k < kVectors; ++k) warp_total += row_totals[k / 4] >> 8 * (k % 4) & 0xff;

  if (lane == 0) warp_totals[warp] = warp_total;
  __syncthreads();  // all warps have counted
  // Every warp scans the totals for itself: five shuffles cost less than another barrier.
  const int in_lanes_warp = lane < kWarps ? warp_totals[lane] : 0;
  const int up_to_lanes_warp = scan_warp(in_lanes_warp);
  const int total = __shfl_sync(kAllLanes, up_to_lanes_warp, kWarp - 1);
  // Said as early as possible: others wait for it.
  if (threadIdx.x == 0) publish(scratch + 1 + number, {Known::total, total});

  int place = __shfl_sync(kAllLanes, up_to_lanes_warp - in_lanes_warp, warp);  // of the warp's first element
#pragma unroll
  for (int k = 0; k < kVectors; ++k) {
    const unsigned before_lane = (up_to_lane[k / 4] - mine[k / 4]) >> 8 * (k % 4) & 0xff;
    compact(compacted + place + before_lane, v[k]);
    place += row_totals[k / 4] >> 8 * (k % 4) & 0xff;
  }

  if (warp == 0) {  // meanwhile the other warps compact
    Word* const word = scratch + 1 + number;
    const int before = look_back(word, number);
    if (lane == 0) {
      publish(word, {Known::prefix, before + total});
      start = before;
      if (number == gridDim.x - 1) *kept = before + total;
    }
  }
  __syncthreads();  // start is there, and the tile is compacted
  write(out + start, compacted, total);
}

Order output_order() { return Order::of_input; }

template <bool kAligned>
cudaError_t launch(int* out, int* kept, const int* in, std::int64_t n, unsigned tiles, Word* scratch) {
  constexpr int kBytes = kTile * sizeof(int);
  cudaError_t error = cudaSuccess;
  // TODO(3): a kernel may use more than 48 KiB of shared memory only if the runtime is told so (2 lines).
  // BEGIN SOLUTION
  error = cudaFuncSetAttribute(copy_if_kernel<kAligned>, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes);
  // END SOLUTION
  if (error != cudaSuccess) return error;
  copy_if_kernel<kAligned><<<tiles, kBlock, kBytes>>>(out, kept, in, n, scratch);
  return cudaGetLastError();
}

cudaError_t copy_if(int* out, int* kept, const int* in, std::int64_t n, unsigned long long* scratch) {
  if (n == 0) return cudaMemsetAsync(kept, 0, sizeof(*kept));
  const unsigned tiles = static_cast<unsigned>((n + kTile - 1) / kTile);
  // No number is drawn yet, and nothing is known of any tile.
  const cudaError_t error = cudaMemsetAsync(scratch, 0, (1 + static_cast<std::size_t>(tiles)) * sizeof(Word));
  if (error != cudaSuccess) return error;
  const bool aligned = reinterpret_cast<std::uintptr_t>(in) % sizeof(int4) == 0;
  return aligned ? launch<true>(out, kept, in, n, tiles, scratch)
                 : launch<false>(out, kept, in, n, tiles, scratch);
}
