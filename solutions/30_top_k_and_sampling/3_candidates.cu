// Rung 3: one pass: what may still be among the k largest waits in shared memory.
#include <cstdint>

#include "top_k_and_sampling.h"

constexpr int kWarp = 32;
constexpr int kBlock = 256;     // threads a block
constexpr int kRound = kBlock;  // elements of the row that are looked at between two barriers
constexpr int kRoom = 1024;     // candidates that a block holds; more than kMostK + kRound

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
  // TODO(1): the least power of two that has room for k and for all candidates; zeros behind the candidates;
  //          sort; the count is k at most. The bound is read after a barrier, and before the next one (9
  //          lines).
  // BEGIN SOLUTION
  const int held = *count;
  int n = kMostK;
  while (n < held) n *= 2;
  for (int i = held + static_cast<int>(threadIdx.x); i < n; i += kBlock) candidates[i] = 0;
  sort(candidates, n);
  if (threadIdx.x == 0 && held > k) *count = k;
  const Entry bound = candidates[k - 1];
  __syncthreads();  // the count is there, and every thread has the bound
  return bound;
  // END SOLUTION
}

__global__ void __launch_bounds__(kBlock)
    top_k_kernel(float* values, int* indices, const float* in, int cols, int k) {
  __shared__ Entry candidates[kRoom];
  __shared__ int count;
  const std::int64_t row = blockIdx.x;
  const float* const from = in + row * cols;
  Entry bound = 0;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  for (int base = 0; base < cols; base += kRound) {
    const int col = base + static_cast<int>(threadIdx.x);
    // TODO(2): an entry that is not below the bound becomes a candidate. When all threads have looked, and
    //          there may be no room for another round, prune (7 lines).
    // BEGIN SOLUTION
    if (col < cols) {
      const Entry entry = entry_of(from[col], col);
      if (entry >= bound) candidates[atomicAdd(&count, 1)] = entry;
    }
    __syncthreads();  // the round's candidates are there
    const int held = count;
    __syncthreads();  // everybody has read the count before the next round changes it
    if (held > kRoom - kRound) bound = prune(candidates, &count, k);
    // END SOLUTION
  }
  prune(candidates, &count, k);
  for (int i = static_cast<int>(threadIdx.x); i < k; i += kBlock) {
    values[row * k + i] = value_of(candidates[i]);
    indices[row * k + i] = index_of(candidates[i]);
  }
}

cudaError_t top_k(float* values, int* indices, const float* in, int rows, int cols, int k, Entry*) {
  if (rows == 0) return cudaSuccess;
  top_k_kernel<<<rows, kBlock>>>(values, indices, in, cols, k);
  return cudaGetLastError();
}
