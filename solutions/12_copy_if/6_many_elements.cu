// Rung 6: sixteen elements a thread, compacted in shared memory, written in one piece.
#include "copy_if.h"
#include "scan.h"

constexpr unsigned kWarps = 16;
constexpr int kBlock =
    kWarp * kWarps;          // 512 threads; a multiprocessor has room for three or four such blocks
constexpr int kWide = 4;     // ints in 16 bytes, the widest a thread loads
constexpr int kVectors = 4;  // loads a thread has under way
constexpr int kWarpRow = kWarp * kWide;  // 128 neighbours that a warp takes with one load
constexpr int kWarpTile = kVectors * kWarpRow;
constexpr int kTile = kWarps * kWarpTile;  // 8192 elements a block

/// Four neighbours; those behind the end are 0, which is not wanted.
template <bool kAligned>
__device__ int4 load(const int* in, std::int64_t i, std::int64_t n) {
  if (kAligned && i + kWide <= n) return *reinterpret_cast<const int4*>(in + i);
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

/// scratch[0] numbers the tiles; the word of tile k is scratch[1 + k].
template <bool kAligned>
__global__ void __launch_bounds__(kBlock)
    copy_if_kernel(int* out, int* kept, const int* in, std::int64_t n, Word* scratch) {
  __shared__ int compacted[kTile];    // the tile's wanted elements, without gaps
  __shared__ int up_to_warp[kWarps];  // how many of them the warps up to each one have
  __shared__ unsigned number;
  __shared__ int start;
  const unsigned lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
  if (threadIdx.x == 0) number = draw_number(scratch);
  __syncthreads();  // all threads know the block's number

  // A warp's 512 elements are four rows of 128, and a lane has four neighbours in each of them.
  const std::int64_t i = static_cast<std::int64_t>(number) * kTile + warp * kWarpTile + lane * kWide;
  int4 v[kVectors];
#pragma unroll
  for (int k = 0; k < kVectors; ++k) v[k] = load<kAligned>(in, i + k * kWarpRow, n);

  // How many elements are wanted in each row, and how many of them in lower lanes? At most 128, which needs
  // 8 bits: four counts fit into one word, and one scan does for all four rows.
  unsigned up_to_lane = 0;
  // TODO(1): make a word `mine` whose byte k is the number of wanted elements in v[k], and scan it (4 lines).
  // BEGIN SOLUTION
  unsigned mine = 0;
#pragma unroll
  for (int k = 0; k < kVectors; ++k) mine |= count_wanted(v[k]) << 8 * k;
  up_to_lane = scan_warp(mine);
  // END SOLUTION
  const unsigned row_totals = __shfl_sync(kAllLanes, up_to_lane, kWarp - 1);
  int warp_total = 0;
#pragma unroll
  for (int k = 0; k < kVectors; ++k) warp_total += row_totals >> 8 * k & 0xff;

  if (lane == 0) up_to_warp[warp] = warp_total;
  __syncthreads();  // all warps have counted before the first warp reads
  if (warp == 0) {
    const int sum = scan_warp(lane < kWarps ? up_to_warp[lane] : 0);
    if (lane < kWarps) up_to_warp[lane] = sum;
    // Said as early as possible: others wait for it.
    if (lane == kWarps - 1) publish(scratch + 1 + number, {Known::total, sum});
  }
  __syncthreads();  // and it is done before all read its sums

  // TODO(2): the warp's first element goes to place up_to_warp[warp] - warp_total of `compacted`, and the
  //          rows follow each other. compact() each v[k] into its place; mind the lower lanes (5 to 7 lines).
  // BEGIN SOLUTION
  const unsigned before_lane = up_to_lane - mine;
  int place = up_to_warp[warp] - warp_total;
#pragma unroll
  for (int k = 0; k < kVectors; ++k) {
    compact(compacted + place + (before_lane >> 8 * k & 0xff), v[k]);
    place += row_totals >> 8 * k & 0xff;
  }
  // END SOLUTION

  const int total = up_to_warp[kWarps - 1];
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
  for (int k = threadIdx.x; k < total; k += kBlock) out[start + k] = compacted[k];
}

Order output_order() { return Order::of_input; }

cudaError_t copy_if(int* out, int* kept, const int* in, std::int64_t n, unsigned long long* scratch) {
  if (n == 0) return cudaMemsetAsync(kept, 0, sizeof(*kept));
  const unsigned tiles = static_cast<unsigned>((n + kTile - 1) / kTile);
  // No number is drawn yet, and nothing is known of any tile.
  const cudaError_t error = cudaMemsetAsync(scratch, 0, (1 + static_cast<std::size_t>(tiles)) * sizeof(Word));
  if (error != cudaSuccess) return error;
  if (reinterpret_cast<std::uintptr_t>(in) % sizeof(int4) == 0)
    copy_if_kernel<true><<<tiles, kBlock>>>(out, kept, in, n, scratch);
  else
    copy_if_kernel<false><<<tiles, kBlock>>>(out, kept, in, n, scratch);
  return cudaGetLastError();
}
