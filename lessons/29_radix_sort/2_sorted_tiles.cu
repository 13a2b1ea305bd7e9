// Rung 2: a block a tile. It sorts its tile by the digit in shared memory, and keys leave in runs.
#include "digits.h"
#include "radix_sort.h"

constexpr int kBlock = 256;  // threads a block: one for each value of a digit
constexpr int kWarps = kBlock / kWarp;
constexpr int kEach = 24;  // keys of a thread
constexpr int kTile = kBlock * kEach;

/// counts[d * tiles + t]: the keys of tile t whose digit is d.
__global__ void __launch_bounds__(kBlock)
    count_kernel(unsigned* counts, const unsigned* in, int n, int shift, int tiles) {
  __shared__ unsigned histogram[kDigits];
  const int tile = static_cast<int>(blockIdx.x);
  histogram[threadIdx.x] = 0;
  __syncthreads();  // zeros everywhere
  const int begin = tile * kTile, end = n - begin < kTile ? n : begin + kTile;
  for (int i = begin + static_cast<int>(threadIdx.x); i < end; i += kBlock)
    atomicAdd(&histogram[digit_of(in[i], shift)], 1u);
  __syncthreads();  // everything is counted
  counts[static_cast<std::int64_t>(threadIdx.x) * tiles + tile] = histogram[threadIdx.x];
}

/// A block a digit: replaces the counts of its tiles by the counts of all tiles before, and leaves the sum of
/// all in totals[digit].
__global__ void __launch_bounds__(kDigits) scan_kernel(unsigned* counts, unsigned* totals, int tiles) {
  unsigned* const row = counts + static_cast<std::int64_t>(blockIdx.x) * tiles;
  __shared__ unsigned sum;
  unsigned before = 0;  // of all earlier stretches of kDigits tiles
  for (int first = 0; first < tiles; first += kDigits) {
    const int tile = first + static_cast<int>(threadIdx.x);
    const unsigned count = tile < tiles ? row[tile] : 0;
    const unsigned lower = scan_digits(count);  // it adds up any kDigits values
    if (tile < tiles) row[tile] = before + lower;
    if (threadIdx.x == kDigits - 1) sum = lower + count;
    __syncthreads();  // the sum is there
    before += sum;
    __syncthreads();  // and has been read before the next stretch overwrites it
  }
  if (threadIdx.x == 0) totals[blockIdx.x] = before;
}

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
    // TODO(1): as in rung 1, only that a rank counts from the warp's first key of the digit (5 lines).
  }
}

__global__ void __launch_bounds__(kBlock, 2)
    scatter_kernel(unsigned* out, const unsigned* in, int n, int shift, const unsigned* counts,
                   const unsigned* totals, int tiles) {
  __shared__ union {
    unsigned counts[kWarps][kDigits];  // of each warp, and then how many keys of the tile come before them
    unsigned keys[kTile];              // the sorted tile, when nobody needs the counts any more
  } tables;
  __shared__ unsigned to[kDigits];  // what a place in the sorted tile lacks to the one in `out`
  const unsigned thread = threadIdx.x, warp = thread / kWarp;
  const int tile = static_cast<int>(blockIdx.x), begin = tile * kTile;
  for (unsigned i = thread; i < kWarps * kDigits; i += kBlock) tables.counts[0][i] = 0;
  __syncthreads();  // zeros everywhere
  unsigned key[kEach], rank[kEach];
  load(key, in, begin + static_cast<int>(warp * kWarp * kEach + thread % kWarp), n);
  rank_in_warp(rank, tables.counts[warp], key, shift);
  __syncthreads();  // all warps have counted

  // Thread d is in charge of digit d: of the warps' counts, of the tile's, and of all tiles'.
  unsigned before[kWarps], total = 0;
  // TODO(2): before[w] becomes the count of all lower warps, total that of all of them (5 lines).
  const unsigned start = scan_digits(total);  // where the digit begins in the sorted tile
  __syncthreads();                            // the next scan may begin
  const unsigned smaller = scan_digits(totals[thread]);
  // TODO(3): the warps' counts become the places in the sorted tile of each warp's first key; and with a key
  //          at place p of the sorted tile going to out[to[digit] + p], what is `to`? (6 lines)
  __syncthreads();  // all places are there
  // TODO(4): add the warp's place to each rank; when nobody reads the counts any more, each key goes to its
  //          place in tables.keys (6 lines).
  __syncthreads();  // the tile is sorted
  const int held = n - begin < kTile ? n - begin : kTile;
  for (int p = static_cast<int>(thread); p < held; p += kBlock) {
    const unsigned moved = tables.keys[p];
    out[to[digit_of(moved, shift)] + static_cast<unsigned>(p)] = moved;
  }
}

cudaError_t sort_keys(unsigned* out, const unsigned* in, int n, unsigned* scratch) {
  if (n == 0) return cudaSuccess;
  const int tiles = (n - 1) / kTile + 1;
  unsigned* const temp = scratch;
  unsigned* const totals = temp + n;
  unsigned* const counts = totals + kDigits;
  const unsigned* from = in;
  for (int shift = 0; shift < 32; shift += kDigitBits) {
    unsigned* const to = from == temp ? out : temp;
    count_kernel<<<tiles, kBlock>>>(counts, from, n, shift, tiles);
    scan_kernel<<<kDigits, kDigits>>>(counts, totals, tiles);
    scatter_kernel<<<tiles, kBlock>>>(to, from, n, shift, counts, totals, tiles);
    from = to;
  }
  return cudaGetLastError();
}
