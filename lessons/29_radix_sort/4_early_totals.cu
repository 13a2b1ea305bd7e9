// Rung 4: count first, rank later. A tile's totals are out before its keys are ranked, and with the counts
// known a rank is a place.
#include "common/grid.h"
#include "digits.h"
#include "histograms.h"
#include "radix_sort.h"

constexpr int kBlock = 256;  // threads a block: one for each value of a digit
constexpr int kWarps = kBlock / kWarp;
constexpr int kEach = 32;  // keys of a thread
constexpr int kTile = kBlock * kEach;
constexpr unsigned kLooks = 4;  // tiles that a thread looks at together

/// A thread's keys: those of a warp are neighbours, and a lane has every 32nd of them. Behind the end stand
/// keys that no other is larger than: sorted, they come last.
__device__ void load(unsigned (&key)[kEach], const unsigned* in, int first, int n) {
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    const int i = first + k * static_cast<int>(kWarp);
    key[k] = i < n ? in[i] : 0xffffffff;
  }
}

/// Moves each key of the warp to its place in the sorted tile.
/// @param next  shared, [kDigits] of this warp: where the next key of each digit goes
__device__ void place(unsigned* sorted, unsigned* next, const unsigned (&key)[kEach], int shift) {
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    const unsigned digit = digit_of(key[k], shift);
    // TODO(1): as in rung 1, with the sorted tile in place of out (5 lines). No array of ranks is needed.
  }
}

/// The keys of all smaller digits, and of this digit in all earlier tiles.
/// @param word  of this tile and digit; those of the `tile` earlier tiles lie kDigits words apart before it
__device__ unsigned look_back(unsigned* word, unsigned tile) {
  unsigned sum = 0;
  // TODO(2): kLooks words at a time: look at all of them, and only then add up, from the nearest on, until
  //          one that says nothing, which is where the next look begins, or a prefix, which is the last.
  //          Where there is no tile any more, there is nothing to look at (14 lines).
  return sum;
}

/// @param histogram  of this pass: keys of each digit
/// @param number     0 before: the tiles that have begun
/// @param words      [tiles][kDigits], 0 before: what is known of each tile and digit
__global__ void __launch_bounds__(kBlock, 2)
    sweep_kernel(unsigned* out, const unsigned* in, int n, int shift, const unsigned* histogram,
                 unsigned* number, unsigned* words) {
  __shared__ unsigned counts[kWarps][kDigits];  // of each warp, and then the places of its next keys
  __shared__ unsigned sorted[kTile];
  __shared__ unsigned to[kDigits];  // what a place in the sorted tile lacks to the one in `out`
  __shared__ unsigned drawn;
  const unsigned thread = threadIdx.x, warp = thread / kWarp;
  if (thread == 0)
    drawn = atomicAdd(number, 1u);  // tiles with lower numbers have begun: they don't wait for us
  for (unsigned i = thread; i < kWarps * kDigits; i += kBlock) counts[0][i] = 0;
  __syncthreads();  // zeros everywhere, and all know the tile's number
  const unsigned tile = drawn;
  const int begin = static_cast<int>(tile) * kTile;
  unsigned key[kEach];
  load(key, in, begin + static_cast<int>(warp * kWarp * kEach + thread % kWarp), n);
  // TODO(3): count each key in its warp's counts. Nobody asks for the old count, so the warp need not wait
  //          for it (2 lines).
  __syncthreads();  // all warps have counted

  // Thread d is in charge of digit d: of the warps' counts, of the tile's, and of all tiles'.
  unsigned* const word = words + static_cast<std::int64_t>(tile) * kDigits + thread;
  unsigned before[kWarps], total = 0;
#pragma unroll
  for (int w = 0; w < kWarps; ++w) {
    before[w] = total;
    total += counts[w][thread];
  }
  if (tile > 0) publish(word, kTotal, total);
  const unsigned start = scan_digits(total);  // where the digit begins in the sorted tile
#pragma unroll
  for (int w = 0; w < kWarps; ++w) counts[w][thread] = start + before[w];
  __syncthreads();  // all places are there
  place(sorted, counts[warp], key, shift);

  // Before tile 0 there are only smaller digits; later tiles find those in its prefix.
  const unsigned earlier = tile == 0 ? scan_digits(histogram[thread]) : look_back(word, tile);
  publish(word, kPrefix, earlier + total);
  to[thread] = earlier - start;
  __syncthreads();  // the tile is sorted, and all know where it goes
  const int held = n - begin < kTile ? n - begin : kTile;
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    const int p = static_cast<int>(thread) + k * kBlock;
    if (p < held) {
      const unsigned moved = sorted[p];
      out[to[digit_of(moved, shift)] + static_cast<unsigned>(p)] = moved;
    }
  }
}

cudaError_t sort_keys(unsigned* out, const unsigned* in, int n, unsigned* scratch) {
  if (n == 0) return cudaSuccess;
  const unsigned tiles = static_cast<unsigned>((n - 1) / kTile + 1);
  unsigned* const histograms = scratch;                      // [kPasses][kDigits]
  unsigned* const numbers = histograms + kPasses * kDigits;  // [kPasses]
  unsigned* const words = numbers + kPasses;                 // [kPasses][tiles][kDigits]
  unsigned* const temp = words + static_cast<std::int64_t>(kPasses) * tiles * kDigits;
  // Nothing is counted, no number is drawn, and nothing is known of any tile.
  cudaError_t error = cudaMemsetAsync(scratch, 0, static_cast<std::size_t>(temp - scratch) * 4);
  if (error != cudaSuccess) return error;
  count_kernel<<<ladder::grid_stride_blocks(n, kCounting * kWide, 6), kCounting>>>(histograms, in, n);
  const unsigned* from = in;
  for (int pass = 0; pass < kPasses; ++pass) {
    unsigned* const to = from == temp ? out : temp;
    sweep_kernel<<<tiles, kBlock>>>(to, from, n, pass * kDigitBits, histograms + pass * kDigits,
                                    numbers + pass,
                                    words + static_cast<std::int64_t>(pass) * tiles * kDigits);
    from = to;
  }
  return cudaGetLastError();
}
