// Rung 6: keys of 64 bits: twice as many passes, and twice the bytes in each.
#include "common/grid.h"
#include "digits.h"
#include "radix_sort.h"

using Key = std::uint64_t;

constexpr int kPasses = sizeof(Key) * 8 / kDigitBits;
constexpr int kBlock = 256;  // threads a block: one for each value of a digit
constexpr int kWarps = kBlock / kWarp;
constexpr int kEach = 24;  // keys of a thread: 48 registers
constexpr int kTile = kBlock * kEach;
constexpr unsigned kMasks = 3;   // in turn: one in use, one that is cleared, one that is clean
constexpr unsigned kLooks = 4;   // tiles that a thread looks at together
constexpr unsigned kCopies = 4;  // histograms of a block: lanes with the same digit meet in fewer places
constexpr int kWide = 2;         // keys in 16 bytes

/// Counts each digit of a key.
/// @param column  of this lane: every kCopies-th word
__device__ void count(unsigned* column, Key key) {
  // TODO(1): as in histograms.h, for all passes: the histograms are kCopies words apart (3 lines).
  // BEGIN SOLUTION
#pragma unroll
  for (int pass = 0; pass < kPasses; ++pass)
    atomicAdd(&column[(pass * kDigits + digit_of(key, pass * kDigitBits)) * kCopies], 1u);
  // END SOLUTION
}

/// Adds all keys' digits to histograms[kPasses][kDigits].
__global__ void __launch_bounds__(kBlock) count_kernel(unsigned* histograms, const Key* in, int n) {
  __shared__ unsigned columns[kPasses * kDigits * kCopies];  // 32 KiB
  for (unsigned i = threadIdx.x; i < kPasses * kDigits * kCopies; i += kBlock) columns[i] = 0;
  __syncthreads();  // zeros everywhere
  unsigned* const column = columns + threadIdx.x % kCopies;
  const int threads = static_cast<int>(gridDim.x) * kBlock;
  const int thread = static_cast<int>(blockIdx.x) * kBlock + static_cast<int>(threadIdx.x);
  const int vectors = n / kWide;
  const ulonglong2* const wide = reinterpret_cast<const ulonglong2*>(in);
  for (int i = thread; i < vectors; i += threads) {
    const ulonglong2 two = wide[i];
    count(column, two.x);
    count(column, two.y);
  }
  if (vectors * kWide + thread < n) count(column, in[vectors * kWide + thread]);  // one may be left
  __syncthreads();                                                                // everything is counted
  for (unsigned i = threadIdx.x; i < kPasses * kDigits; i += kBlock) {
    unsigned sum = 0;
    for (unsigned c = 0; c < kCopies; ++c) sum += columns[i * kCopies + (i + c) % kCopies];
    atomicAdd(&histograms[i], sum);
  }
}

/// A thread's keys: those of a warp are neighbours, and a lane has every 32nd of them. Behind the end stand
/// keys that no other is larger than: sorted, they come last.
__device__ void load(Key (&key)[kEach], const Key* in, int first, int n) {
  // TODO(2): key k stands k * kWarp behind the first. What is as large as any key can be? (4 lines)
  // BEGIN SOLUTION
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    const int i = first + k * static_cast<int>(kWarp);
    key[k] = i < n ? in[i] : ~Key{0};
  }
  // END SOLUTION
}

/// Moves each key of the warp to its place in the sorted tile.
/// @param next   shared, [kDigits] of this warp: where the next key of each digit goes
/// @param masks  shared, kMasks times [kDigits] of this warp, kWarps * kDigits apart, 0 before
__device__ void place(Key* sorted, unsigned* next, unsigned* masks, const Key (&key)[kEach], int shift) {
  const unsigned lane = threadIdx.x % kWarp;
  unsigned* used = nullptr;  // the mask that this lane has to clear: of the key before
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    const unsigned digit = digit_of(key[k], shift);
    unsigned* const mask = masks + k % kMasks * kWarps * kDigits + digit;
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
  Key sorted[kTile];
  unsigned to[kDigits];  // what a place in the sorted tile lacks to the one in `out`
  unsigned drawn;        // the tile's number
};

/// @param histogram  of this pass: keys of each digit
/// @param number     0 before: the tiles that have begun
/// @param words      [tiles][kDigits], 0 before: what is known of each tile and digit
__global__ void __launch_bounds__(kBlock, 2)
    sweep_kernel(Key* out, const Key* in, int n, int shift, const unsigned* histogram, unsigned* number,
                 unsigned* words) {
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
  Key key[kEach];
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
      const Key moved = shared.sorted[p];
      out[shared.to[digit_of(moved, shift)] + static_cast<unsigned>(p)] = moved;
    }
  }
}

cudaError_t sort_wide_keys(Key* out, const Key* in, int n, unsigned* scratch) {
  if (n == 0) return cudaSuccess;
  const unsigned tiles = static_cast<unsigned>((n - 1) / kTile + 1);
  unsigned* const histograms = scratch;                      // [kPasses][kDigits]
  unsigned* const numbers = histograms + kPasses * kDigits;  // [kPasses]
  unsigned* const words = numbers + kPasses;                 // [kPasses][tiles][kDigits]
  // An even number of words lies before it, so that it starts at a multiple of 8 bytes.
  unsigned* const end = words + static_cast<std::int64_t>(kPasses) * tiles * kDigits;
  Key* const temp = reinterpret_cast<Key*>(end);
  // Nothing is counted, no number is drawn, and nothing is known of any tile.
  cudaError_t error = cudaMemsetAsync(scratch, 0, static_cast<std::size_t>(end - scratch) * 4);
  if (error != cudaSuccess) return error;
  count_kernel<<<ladder::grid_stride_blocks(n, kBlock * kWide, 6), kBlock>>>(histograms, in, n);
  constexpr int kBytes = sizeof(Shared);
  error = cudaFuncSetAttribute(sweep_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes);
  if (error != cudaSuccess) return error;
  // TODO(3): a sweep for each pass, with its own histogram, number and words (7 lines).
  // BEGIN SOLUTION
  const Key* from = in;
  for (int pass = 0; pass < kPasses; ++pass) {
    Key* const to = from == temp ? out : temp;
    sweep_kernel<<<tiles, kBlock, kBytes>>>(to, from, n, pass * kDigitBits, histograms + pass * kDigits,
                                            numbers + pass,
                                            words + static_cast<std::int64_t>(pass) * tiles * kDigits);
    from = to;
  }
  // END SOLUTION
  return cudaGetLastError();
}
