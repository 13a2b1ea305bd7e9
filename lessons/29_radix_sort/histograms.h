// One read of 32-bit keys counts all of their digits: what rungs 3 to 5 and 7 begin with.
#pragma once

#include "digits.h"

constexpr int kPasses = 32 / kDigitBits;
constexpr int kCounting = 256;   // threads of a block that counts
constexpr unsigned kCopies = 8;  // histograms of a block: lanes with the same digit meet in fewer places
constexpr int kWide = 4;         // keys in 16 bytes

/// Counts each digit of a key.
/// @param column  of this lane: every kCopies-th word
__device__ inline void count(unsigned* column, unsigned key) {
#pragma unroll
  for (int pass = 0; pass < kPasses; ++pass)
    atomicAdd(&column[(pass * kDigits + digit_of(key, pass * kDigitBits)) * kCopies], 1u);
}

/// Adds all keys' digits to histograms[kPasses][kDigits].
static __global__ void __launch_bounds__(kCounting)
    count_kernel(unsigned* histograms, const unsigned* in, int n) {
  __shared__ unsigned columns[kPasses * kDigits * kCopies];  // 32 KiB
  for (unsigned i = threadIdx.x; i < kPasses * kDigits * kCopies; i += kCounting) columns[i] = 0;
  __syncthreads();  // zeros everywhere
  unsigned* const column = columns + threadIdx.x % kCopies;
  const int threads = static_cast<int>(gridDim.x) * kCounting;
  const int thread = static_cast<int>(blockIdx.x) * kCounting + static_cast<int>(threadIdx.x);
  const int vectors = n / kWide;
  const uint4* const wide = reinterpret_cast<const uint4*>(in);
  for (int i = thread; i < vectors; i += threads) {
    const uint4 four = wide[i];
    count(column, four.x);
    count(column, four.y);
    count(column, four.z);
    count(column, four.w);
  }
  if (vectors * kWide + thread < n) count(column, in[vectors * kWide + thread]);  // up to three are left
  __syncthreads();                                                                // everything is counted
  for (unsigned i = threadIdx.x; i < kPasses * kDigits; i += kCounting) {
    unsigned sum = 0;
    for (unsigned c = 0; c < kCopies; ++c) sum += columns[i * kCopies + (i + c) % kCopies];
    atomicAdd(&histograms[i], sum);
  }
}
