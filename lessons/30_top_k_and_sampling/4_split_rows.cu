// Rung 4: several blocks a row, 16 bytes a load, and a bound from a sample before anything is a candidate.
#include <cstdint>

#include "top_k_and_sampling.h"

constexpr int kWarp = 32;
constexpr int kBlock = 256;     // threads a block; more than kMostK
constexpr int kWide = 4;        // floats in 16 bytes
constexpr int kEach = 14;       // vectors that a thread has under way together
constexpr int kFew = 4;         // the same where room has to be certain
constexpr int kRoom = 2048;     // candidates that a block has room for, a power of two
constexpr int kSplits = 3;      // blocks of a long row
constexpr int kStretch = 4096;  // elements that are worth a block
static_assert(kRoom >= kMostK + kMostK * kFew * kWide, "what a chunk's own bound lets pass has room");

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

/// Loads kMany vectors of this thread, vector v being first + v * kBlock; -infinity behind the end.
template <int kMany>
__device__ void load(float4 (&held)[kMany], const float4* from, int first, int end) {
  const float none = __uint_as_float(0xff800000);
  // TODO(1): nothing but loads, so that all are under way before the first is waited for. __ldcs, for they
  //          come by once (5 lines).
}

/// The k-th largest of the threads' largest values. The block's part of the row has k elements that are not
/// below it, so what is below it is not among the k largest.
__device__ float sampled_bound(float* largest, float* bound, const float4 (&held)[kEach], int k) {
  float most = __uint_as_float(0xff800000);
#pragma unroll
  for (int v = 0; v < kEach; ++v)
    most = fmaxf(most, fmaxf(fmaxf(held[v].x, held[v].y), fmaxf(held[v].z, held[v].w)));
  const int own = static_cast<int>(threadIdx.x);
  largest[own] = most;
  __syncthreads();  // all threads' values are there
  // TODO(2): a thread's rank is how many have a larger value, or an equal one and a smaller number. The one
  //          whose rank is k - 1 has the bound (4 lines).
  __syncthreads();  // the bound is there
  return *bound;
}

/// What is not less than `least`, nor below the bound, becomes a candidate, as far as there is room; all are
/// counted.
template <int kMany>
__device__ void take_in(Entry* candidates, int* count, const float4 (&held)[kMany], int first, int end,
                        float least, Entry bound) {
#pragma unroll
  for (int v = 0; v < kMany; ++v) {
    const float four[kWide] = {held[v].x, held[v].y, held[v].z, held[v].w};
    // TODO(3): nothing to do for most vectors: the largest of the four floats is less than `least`, or the
    //          vector is behind the end. Else each of the four that isn't less, if its entry isn't below the
    //          bound (9 lines).
  }
}

/// The way for rows that have too much that is not below a bound: ascending ones, and equal values. Each
/// chunk has a bound of its own: the k-th largest of one entry from each thread. No more than k threads hold
/// anything that is not below it, and a thread holds kFew vectors: there is room for that, whatever it is.
__device__ void take_in_slowly(Entry* candidates, int* count, Entry* sample, const float4* from, int begin,
                               int end, int k) {
  const float none = __uint_as_float(0xff800000);
  Entry bound = 0;
  __syncthreads();  // everybody has seen that there was no room
  if (threadIdx.x == 0) *count = 0;
  for (int base = begin; base < end; base += kBlock * kFew) {
    const int first = base + static_cast<int>(threadIdx.x);
    float4 held[kFew];
    load(held, from, first, end);
    Entry largest = 0;
#pragma unroll
    for (int v = 0; v < kFew; ++v) {
      const float four[kWide] = {held[v].x, held[v].y, held[v].z, held[v].w};
#pragma unroll
      for (int j = 0; j < kWide; ++j) {
        const Entry entry = entry_of(four[j], (first + v * kBlock) * kWide + j);
        if (first + v * kBlock < end && entry > largest) largest = entry;
      }
    }
    sample[threadIdx.x] = largest;
    sort(sample, kBlock);
    const Entry own = sample[k - 1];
    take_in(candidates, count, held, first, end, none, own > bound ? own : bound);
    __syncthreads();  // the chunk's candidates are there, and everybody has read the sample
    bound = prune(candidates, count, k);
  }
}

/// An entry's place among others: how many are larger. Where they are few, this is quicker than to sort them,
/// since no thread waits for another.
__device__ int place_of(Entry own, const Entry* entries, int n) {
  int larger = 0;
#pragma unroll 8
  for (int i = 0; i < n; ++i) larger += entries[i] > own ? 1 : 0;
  return larger;
}

/// Blocks along x are rows; along y they divide a row's vectors. The last to finish merges what all have
/// found.
__global__ void __launch_bounds__(kBlock, 2) top_k_kernel(float* values, int* indices, const float* in,
                                                          int cols, int k, Entry* found, unsigned* finished) {
  __shared__ Entry candidates[kRoom];
  __shared__ Entry sample[kBlock];
  __shared__ float largest[kBlock];
  __shared__ float bound;
  __shared__ int count;
  __shared__ bool last;
  const int splits = static_cast<int>(gridDim.y), part = static_cast<int>(blockIdx.y);
  const std::int64_t row = blockIdx.x;
  const float4* const from = reinterpret_cast<const float4*>(in + row * cols);
  const int vectors = cols / kWide;  // of a row
  const int share = (vectors - 1) / splits + 1;
  const int begin = part * share;
  const int end = begin + share < vectors ? begin + share : vectors;
  float4 held[kEach];
  int first = begin + static_cast<int>(threadIdx.x);
  if (threadIdx.x == 0) count = 0;
  load(held, from, first, end);
  const float least = sampled_bound(largest, &bound, held, k);
  // No barrier in this loop: warps read ahead of each other, and loads are always under way.
  for (int base = begin; base < end; base += kBlock * kEach) {
    take_in(candidates, &count, held, first, end, least, 0);
    first += kBlock * kEach;
    if (base + kBlock * kEach < end) load(held, from, first, end);
  }
  __syncthreads();  // all candidates are there
  if (count > kRoom) take_in_slowly(candidates, &count, sample, from, begin, end, k);
  if (count > kBlock) prune(candidates, &count, k);
  Entry* const to = found + row * splits * k;
  int n = count;  // k at least
  if (static_cast<int>(threadIdx.x) < n) {
    const Entry own = candidates[threadIdx.x];
    const int place = place_of(own, candidates, n);
    if (place < k) to[part * k + place] = own;
  }
  // TODO(4): finished[row] counts the blocks that are done. What a block has stored must be visible to
  //          whoever sees its count: __threadfence() by those that stored, a barrier, then one atomicInc,
  //          which begins again at 0 behind splits - 1, and a fence behind it. Behind another barrier the
  //          last one's threads go on (7 lines).
  n = splits * k;
  for (int i = static_cast<int>(threadIdx.x); i < n; i += kBlock) candidates[i] = __ldcg(to + i);
  __syncthreads();  // what all blocks of the row have left is there
  for (int i = static_cast<int>(threadIdx.x); i < n; i += kBlock) {
    const int place = place_of(candidates[i], candidates, n);
    if (place >= k) continue;
    values[row * k + place] = value_of(candidates[i]);
    indices[row * k + place] = index_of(candidates[i]);
  }
}

cudaError_t top_k(float* values, int* indices, const float* in, int rows, int cols, int k, Entry* scratch) {
  if (rows == 0) return cudaSuccess;
  const int worth = cols / kStretch;
  const int splits = worth < 1 ? 1 : worth < kSplits ? worth : kSplits;
  unsigned* const finished = reinterpret_cast<unsigned*>(scratch);
  top_k_kernel<<<dim3(static_cast<unsigned>(rows), static_cast<unsigned>(splits)), kBlock>>>(
      values, indices, in, cols, k, scratch + rows, finished);
  return cudaGetLastError();
}
