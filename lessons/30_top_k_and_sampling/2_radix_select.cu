// Rung 2: radix select: a block a row finds the k-th largest digit by digit, from the highest.
#include <cstdint>

#include "top_k_and_sampling.h"

constexpr int kWarp = 32;
constexpr int kBlock = 256;    // threads a block: one for each value of a digit
constexpr int kDigitBits = 8;  // of the 64 of an entry
constexpr int kDigits = 1 << kDigitBits;

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

__global__ void __launch_bounds__(kBlock)
    top_k_kernel(float* values, int* indices, const float* in, int cols, int k) {
  __shared__ unsigned histogram[kDigits];
  __shared__ Entry least_found;  // the digits found so far, and zeros behind them
  __shared__ int wanted;         // how many are still to be found among those that begin with them
  __shared__ bool done;          // all that begin with them are wanted
  __shared__ Entry kept[kMostK];
  __shared__ int count;
  const std::int64_t row = blockIdx.x;
  const float* const from = in + row * cols;
  if (threadIdx.x == 0) {
    least_found = 0;
    wanted = k;
    done = false;
    count = 0;
  }
  for (int shift = 64 - kDigitBits; shift >= 0; shift -= kDigitBits) {
    histogram[threadIdx.x] = 0;
    __syncthreads();  // zeros everywhere, and thread 0's part of the last digit is done
    if (done) break;
    // TODO(1): count the digit at `shift` of all entries of the row that agree with least_found in the
    //          digits before it. A shift by 64 is undefined: in the first round there are none (6 lines).
    __syncthreads();  // everything is counted
    if (threadIdx.x == 0) {
      // TODO(2): from the highest value down, the digit whose count takes in the last one wanted: those above
      //          are all found. Put it into least_found, and say whether its whole count is wanted (5 lines).
    }
    __syncthreads();  // the histogram has been read
  }
  // TODO(3): the k entries from least_found up, in any order, in `kept`, and zeros in its other places (5
  //          lines).
  sort(kept, kMostK);
  for (int i = static_cast<int>(threadIdx.x); i < k; i += kBlock) {
    values[row * k + i] = value_of(kept[i]);
    indices[row * k + i] = index_of(kept[i]);
  }
}

cudaError_t top_k(float* values, int* indices, const float* in, int rows, int cols, int k, Entry*) {
  if (rows == 0) return cudaSuccess;
  top_k_kernel<<<rows, kBlock>>>(values, indices, in, cols, k);
  return cudaGetLastError();
}
