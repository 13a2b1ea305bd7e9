// Rung 4: several blocks a row, 16 bytes a load, and a bound from a sample before anything is a candidate.
#include <cstdint>

#include "top_k_and_sampling.h"

constexpr int kWarp = 32;
constexpr int kBlock = 512;             // threads a block; more than kMostK
constexpr int kWide = 4;                // floats in 16 bytes
constexpr int kEach = 8;                // vectors that a thread holds at a time
constexpr int kChunk = kBlock * kEach;  // vectors of the row that a block holds at a time
constexpr int kRoom = 4096;             // candidates that a block has room for, a power of two
constexpr int kStretch = 16384;         // elements that are worth a block
static_assert(kRoom >= kMostK + kMostK * kEach * kWide, "what a chunk's own bound lets pass has room");

/// An element's entry. Adding 0 makes 0 of -0. A float with the sign bit is larger the smaller its other bits
/// are, so all of its bits are inverted; of another one only the sign bit is.
__device__ Entry entry_of(float value, int index) {
  const unsigned bits = __float_as_uint(value + 0.0f);
  const unsigned key = bits & 0x80000000 ? ~bits : bits | 0x80000000;
  return static_cast<Entry>(key) << 32 | ~static_cast<unsigned>(index);
}

__device__ float value_of(Entry entry) {
  const unsigned key = static_cast<unsigned>(entry >> 32);
  return __uint_as_float(key & 0x80000000 ? key & 0x7fffffff : ~key);
}

__device__ int index_of(Entry entry) { return static_cast<int>(~static_cast<unsigned>(entry)); }

/// Sorts entries in shared memory, the largest first: a bitonic sort. All threads of the block take part.
/// Thread i compares a pair in every step; where the two are up to 32 apart, the 32 pairs of a warp are 64
/// neighbours that no other warp touches, and the warp need not wait for the block.
/// @param n  a power of two
__device__ void sort(Entry* entries, int n) {
  int last = 2 * kWarp;  // how far apart the pairs of the step before were: who filled the array is unknown
  for (int size = 2; size <= n; size *= 2)
    for (int apart = size / 2; apart > 0; apart /= 2) {
      if (apart > kWarp || last > kWarp)
        __syncthreads();  // this step reads what other warps have exchanged, or the step before did
      else
        __syncwarp();
      last = apart;
      for (int i = static_cast<int>(threadIdx.x); i < n / 2; i += kBlock) {
        const int low = 2 * i - (i & (apart - 1)), high = low + apart;
        const bool descending = (low & size) == 0;
        const Entry a = entries[low], b = entries[high];
        if ((a < b) == descending) {
          entries[low] = b;
          entries[high] = a;
        }
      }
    }
  __syncthreads();
}

/// Sorts the candidates and keeps the k largest. All threads of the block take part.
/// @return the k-th, or 0 if there are fewer: a bound below which nothing counts
__device__ Entry prune(Entry* candidates, int* count, int k) {
  const int held = *count;
  int n = kMostK;
  while (n < held) n *= 2;
  for (int i = held + static_cast<int>(threadIdx.x); i < n; i += kBlock) candidates[i] = 0;
  sort(candidates, n);
  if (threadIdx.x == 0 && held > k) *count = k;
  const Entry bound = candidates[k - 1];
  __syncthreads();  // the count is there, and every thread has the bound
  return bound;
}

/// Loads this thread's vectors of a chunk, whose first is @p first; what is behind the end is undefined.
__device__ void load(float4 (&held)[kEach], const float4* from, int first, int end) {
  // TODO(1): vector v is first + v * kBlock. All loads before the first use: __ldcs, for they come by
  //          once (3 lines).
}

/// The k-th largest of the largest entries that each thread holds. The row has k that are not below it, so
/// nothing below it is among the k largest; and no more than k threads hold anything that is not below it.
__device__ Entry sampled_bound(Entry* sample, const float4 (&held)[kEach], int first, int end, int k) {
  // TODO(2): this thread's largest element, of equal ones the first, and where it is; its entry in `sample`,
  // 0
  //          without an element; all of them sorted (14 lines).
  return sample[k - 1];
}

/// What is not below the bound becomes a candidate, as far as there is room; all are counted.
__device__ void take_in(Entry* candidates, int* count, const float4 (&held)[kEach], int first, int end,
                        Entry bound) {
  // NaN for bound 0, which stands for none: every comparison with it is false.
  const float least = value_of(bound);
#pragma unroll
  for (int v = 0; v < kEach; ++v) {
    // TODO(3): nothing to do for most vectors: the largest of the four floats is less than `least`. Else the
    //          entries of the four, unless the vector is behind the end (8 lines).
  }
}

/// Blocks along x are rows; along y they divide a row's vectors.
__global__ void __launch_bounds__(kBlock) select_kernel(Entry* found, const float* in, int cols, int k) {
  __shared__ Entry candidates[kRoom];
  __shared__ Entry sample[kBlock];
  __shared__ int count;
  const std::int64_t row = blockIdx.x;
  const float4* const from = reinterpret_cast<const float4*>(in + row * cols);
  const int vectors = cols / kWide;  // of a row
  const int share = (vectors - 1) / static_cast<int>(gridDim.y) + 1;
  const int begin = static_cast<int>(blockIdx.y) * share;
  const int end = begin + share < vectors ? begin + share : vectors;
  float4 held[kEach] = {};
  int first = begin + static_cast<int>(threadIdx.x);
  if (threadIdx.x == 0) count = 0;
  load(held, from, first, end);
  Entry bound = sampled_bound(sample, held, first, end, k);
  int before = 0;  // candidates of the chunks before
  for (int base = begin; base < end; base += kChunk) {
    take_in(candidates, &count, held, first, end, bound);
    __syncthreads();  // the chunk's candidates are there
    const int waiting = count;
    __syncthreads();  // everybody has read the count before anybody changes it
    if (waiting <= kRoom) before = waiting;
    // TODO(4): if there was no room for all of them, go back to those of the chunks before and prune; take
    //          the chunk in again, with its own sampled bound if that is higher (11 lines).
    first += kChunk;
    load(held, from, first, end);
  }
  prune(candidates, &count, k);
  Entry* const to = found + (row * gridDim.y + blockIdx.y) * k;
  for (int i = static_cast<int>(threadIdx.x); i < k; i += kBlock) to[i] = candidates[i];
}

/// The k largest of what a row's blocks have found.
__global__ void __launch_bounds__(kBlock)
    merge_kernel(float* values, int* indices, const Entry* found, int splits, int k) {
  __shared__ Entry all[kMostSplits * kMostK];
  const std::int64_t row = blockIdx.x;
  // TODO(5): the row's splits * k entries, zeros up to a power of two, sorted (5 lines).
  for (int i = static_cast<int>(threadIdx.x); i < k; i += kBlock) {
    values[row * k + i] = value_of(all[i]);
    indices[row * k + i] = index_of(all[i]);
  }
}

cudaError_t top_k(float* values, int* indices, const float* in, int rows, int cols, int k, Entry* scratch) {
  if (rows == 0) return cudaSuccess;
  const int worth = cols / kStretch, most = 2;
  const int splits = worth < 1 ? 1 : worth < most ? worth : most;
  select_kernel<<<dim3(static_cast<unsigned>(rows), static_cast<unsigned>(splits)), kBlock>>>(scratch, in,
                                                                                              cols, k);
  merge_kernel<<<rows, kBlock>>>(values, indices, scratch, splits, k);
  return cudaGetLastError();
}
