// Rung 5: lanes of the same digit find each other in shared memory: each sets its bit in the digit's mask.
#include "common/grid.h"
#include "digits.h"
#include "histograms.h"
#include "radix_sort.h"

constexpr int kBlock = 256;  // threads a block: one for each value of a digit
constexpr int kWarps = kBlock / kWarp;
constexpr int kEach = 44;  // keys of a thread
constexpr int kTile = kBlock * kEach;
constexpr unsigned kMasks = 3;  // in turn: one in use, one that is cleared, one that is clean
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
/// @param next   shared, [kDigits] of this warp: where the next key of each digit goes
/// @param masks  shared, kMasks times [kDigits] of this warp, kWarps * kDigits apart, 0 before
__device__ void place(unsigned* sorted, unsigned* next, unsigned* masks, const unsigned (&key)[kEach],
                      int shift) {
  const unsigned lane = threadIdx.x % kWarp;
  unsigned* used = nullptr;  // the mask that this lane has to clear: of the key before
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    const unsigned digit = digit_of(key[k], shift);
    unsigned* const mask = masks + k % kMasks * kWarps * kDigits + digit;
    // TODO(1): set this lane's bit, atomically; when all have, the mask says which lanes have the digit, and
    //          nobody reads that of the key before any more: clear it, if it is this lane's. The highest lane
    //          of the digit takes the next place, moves it on, and is to clear the mask; a shuffle tells the
    //          place to the others (11 lines).
    // BEGIN SOLUTION
    atomicOr(mask, 1u << lane);
    __syncwarp();  // all bits are there, and all have read the mask and the places of the key before
    const unsigned same = *mask, highest = kWarp - 1 - __clz(same);
    if (used != nullptr) *used = 0;  // there is a barrier before the key after the next one sets bits here
    used = lane == highest ? mask : nullptr;
    unsigned first = 0;
    if (lane == highest) {
      first = next[digit];
      next[digit] = first + __popc(same);
    }
    first = __shfl_sync(kAllLanes, first, highest);
    sorted[first + __popc(same & lower_lanes())] = key[k];
    // END SOLUTION
  }
}

/// The keys of all smaller digits, and of this digit in all earlier tiles.
/// @param word  of this tile and digit; those of the `tile` earlier tiles lie kDigits words apart before it
__device__ unsigned look_back(unsigned* word, unsigned tile) {
  unsigned sum = 0;
  for (unsigned back = 1; back <= tile;) {
    unsigned said[kLooks];
#pragma unroll
    for (unsigned k = 0; k < kLooks; ++k) said[k] = back + k <= tile ? look(word - (back + k) * kDigits) : 0;
    unsigned known = 0;  // how many of them say something
    bool done = false;
#pragma unroll
    for (unsigned k = 0; k < kLooks; ++k)
      if (known == k && said[k] != 0 && !done) {
        sum += said[k] & kCount;
        done = (said[k] & kPrefix) != 0;
        ++known;
      }
    if (done) break;
    back += known;
  }
  return sum;
}

/// All that a block has in shared memory: more than 48 KiB.
struct Shared {
  unsigned counts[kWarps][kDigits];  // of each warp, and then the places of its next keys
  unsigned masks[kMasks][kWarps][kDigits];
  unsigned sorted[kTile];
  unsigned to[kDigits];  // what a place in the sorted tile lacks to the one in `out`
  unsigned drawn;        // the tile's number
};

/// @param histogram  of this pass: keys of each digit
/// @param number     0 before: the tiles that have begun
/// @param words      [tiles][kDigits], 0 before: what is known of each tile and digit
__global__ void __launch_bounds__(kBlock, 2)
    sweep_kernel(unsigned* out, const unsigned* in, int n, int shift, const unsigned* histogram,
                 unsigned* number, unsigned* words) {
  extern __shared__ uint4 memory[];
  Shared& shared = *reinterpret_cast<Shared*>(memory);
  const unsigned thread = threadIdx.x, warp = thread / kWarp;
  // Tiles with lower numbers have begun: they don't wait for us.
  if (thread == 0) shared.drawn = atomicAdd(number, 1u);
  constexpr unsigned kZeros = (1 + kMasks) * kWarps * kDigits / 4;  // counts and masks lie side by side
  for (unsigned i = thread; i < kZeros; i += kBlock) memory[i] = make_uint4(0, 0, 0, 0);
  __syncthreads();  // zeros everywhere, and all know the tile's number
  const unsigned tile = shared.drawn;
  const int begin = static_cast<int>(tile) * kTile;
  unsigned key[kEach];
  load(key, in, begin + static_cast<int>(warp * kWarp * kEach + thread % kWarp), n);
#pragma unroll
  for (int k = 0; k < kEach; ++k) atomicAdd(&shared.counts[warp][digit_of(key[k], shift)], 1u);
  __syncthreads();  // all warps have counted

  // Thread d is in charge of digit d: of the warps' counts, of the tile's, and of all tiles'.
  unsigned* const word = words + static_cast<std::int64_t>(tile) * kDigits + thread;
  unsigned before[kWarps], total = 0;
#pragma unroll
  for (int w = 0; w < kWarps; ++w) {
    before[w] = total;
    total += shared.counts[w][thread];
  }
  if (tile > 0) publish(word, kTotal, total);
  const unsigned start = scan_digits(total);  // where the digit begins in the sorted tile
#pragma unroll
  for (int w = 0; w < kWarps; ++w) shared.counts[w][thread] = start + before[w];
  __syncthreads();  // all places are there
  place(shared.sorted, shared.counts[warp], shared.masks[0][warp], key, shift);

  // Before tile 0 there are only smaller digits; later tiles find those in its prefix.
  const unsigned earlier = tile == 0 ? scan_digits(histogram[thread]) : look_back(word, tile);
  publish(word, kPrefix, earlier + total);
  shared.to[thread] = earlier - start;
  __syncthreads();  // the tile is sorted, and all know where it goes
  const int held = n - begin < kTile ? n - begin : kTile;
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    const int p = static_cast<int>(thread) + k * kBlock;
    if (p < held) {
      const unsigned moved = shared.sorted[p];
      out[shared.to[digit_of(moved, shift)] + static_cast<unsigned>(p)] = moved;
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
  constexpr int kBytes = sizeof(Shared);
  error = cudaFuncSetAttribute(sweep_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes);
  if (error != cudaSuccess) return error;
  const unsigned* from = in;
  for (int pass = 0; pass < kPasses; ++pass) {
    unsigned* const to = from == temp ? out : temp;
    sweep_kernel<<<tiles, kBlock, kBytes>>>(to, from, n, pass * kDigitBits, histograms + pass * kDigits,
                                            numbers + pass,
                                            words + static_cast<std::int64_t>(pass) * tiles * kDigits);
    from = to;
  }
  return cudaGetLastError();
}
