// Rung 3: one sweep a digit. All digits are counted in one read of the keys; then a tile learns from the
// tiles before it where its keys go, as lesson 12's tiles learned their sums.
#include "common/grid.h"
#include "digits.h"
#include "histograms.h"
#include "radix_sort.h"

constexpr int kBlock = 256;  // threads a block: one for each value of a digit
constexpr int kWarps = kBlock / kWarp;
constexpr int kEach = 24;  // keys of a thread
constexpr int kTile = kBlock * kEach;

/// A thread's keys: those of a warp are neighbours, and a lane has every 32nd of them. Behind the end stand
/// keys that no other is larger than: sorted, they come last.
__device__ void load(unsigned (&key)[kEach], const unsigned* in, int first, int n) {
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    const int i = first + k * static_cast<int>(kWarp);
    key[k] = i < n ? in[i] : 0xffffffff;
  }
}

/// The rank of each key among those of its warp that have the same digit, and how many there are.
/// @param[out] rank   of this lane's keys
/// @param      count  shared, [kDigits] of this warp, 0 before
__device__ void rank_in_warp(unsigned (&rank)[kEach], unsigned* count, const unsigned (&key)[kEach],
                             int shift) {
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    const unsigned digit = digit_of(key[k], shift);
    const unsigned same = __match_any_sync(kAllLanes, digit), lower = __popc(same & lower_lanes());
    rank[k] = count[digit] + lower;
    __syncwarp();  // all lanes have read their digit's count
    if (lower == 0) count[digit] += __popc(same);
    __syncwarp();  // and it is that of the next key
  }
}

/// The keys of all smaller digits, and of this digit in all earlier tiles.
/// @param word  of this tile and digit; those of the `tile` earlier tiles lie kDigits words apart before it
__device__ unsigned look_back(unsigned* word, unsigned tile) {
  unsigned sum = 0;
  // TODO(1): from tile to tile, as in lesson 12's rung 6: look again until something is known; add the count;
  //          a prefix is the last one (8 lines).
  return sum;
}

/// @param histogram  of this pass: keys of each digit
/// @param number     0 before: the tiles that have begun
/// @param words      [tiles][kDigits], 0 before: what is known of each tile and digit
__global__ void __launch_bounds__(kBlock, 2)
    sweep_kernel(unsigned* out, const unsigned* in, int n, int shift, const unsigned* histogram,
                 unsigned* number, unsigned* words) {
  __shared__ union {
    unsigned counts[kWarps][kDigits];  // of each warp, and then how many keys of the tile come before them
    unsigned keys[kTile];              // the sorted tile, when nobody needs the counts any more
  } tables;
  __shared__ unsigned to[kDigits];  // what a place in the sorted tile lacks to the one in `out`
  __shared__ unsigned drawn;
  const unsigned thread = threadIdx.x, warp = thread / kWarp;
  if (thread == 0)
    drawn = atomicAdd(number, 1u);  // tiles with lower numbers have begun: they don't wait for us
  for (unsigned i = thread; i < kWarps * kDigits; i += kBlock) tables.counts[0][i] = 0;
  __syncthreads();  // zeros everywhere, and all know the tile's number
  const unsigned tile = drawn;
  const int begin = static_cast<int>(tile) * kTile;
  unsigned key[kEach], rank[kEach];
  load(key, in, begin + static_cast<int>(warp * kWarp * kEach + thread % kWarp), n);
  rank_in_warp(rank, tables.counts[warp], key, shift);
  __syncthreads();  // all warps have counted

  // Thread d is in charge of digit d: of the warps' counts, of the tile's, and of all tiles'.
  unsigned* const word = words + static_cast<std::int64_t>(tile) * kDigits + thread;
  unsigned before[kWarps], total = 0;
#pragma unroll
  for (int w = 0; w < kWarps; ++w) {
    before[w] = total;
    total += tables.counts[w][thread];
  }
  if (tile > 0) publish(word, kTotal, total);
  const unsigned start = scan_digits(total);  // where the digit begins in the sorted tile
#pragma unroll
  for (int w = 0; w < kWarps; ++w) tables.counts[w][thread] = start + before[w];
  __syncthreads();  // all places are there
#pragma unroll
  for (int k = 0; k < kEach; ++k) rank[k] += tables.counts[warp][digit_of(key[k], shift)];
  __syncthreads();  // all have read the counts: their room is free
#pragma unroll
  for (int k = 0; k < kEach; ++k) tables.keys[rank[k]] = key[k];

  // Before tile 0 there are only smaller digits; later tiles find those in its prefix.
  // TODO(2): what comes earlier is the prefix sum of the histogram for tile 0, and what look_back() says for
  //          others. Publish the prefix, and leave in `to` what rung 2 had there (3 lines).
  __syncthreads();  // the tile is sorted, and all know where it goes
  const int held = n - begin < kTile ? n - begin : kTile;
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    const int p = static_cast<int>(thread) + k * kBlock;
    if (p < held) {
      const unsigned moved = tables.keys[p];
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
  // TODO(3): count all digits: as many blocks of kCounting threads as fit at a time, grid_stride_blocks(n,
  //          kCounting * kWide, 6) of ladder's. Then a sweep for each digit, with its own histogram, number
  //          and words (9 lines).
  return cudaGetLastError();
}
