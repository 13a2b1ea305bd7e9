// Reductions whose result every thread gets. Given; lesson 09 is about how they work.
#pragma once

#include <cstring>

constexpr int kWarp = 32;
constexpr unsigned kAllLanes = 0xffffffff;  // a bit for each lane of the warp

/// The value of the lane whose number differs in the bits of @p lanes. T consists of 4-byte words.
template <class T>
__device__ T exchange(T value, int lanes) {
  constexpr int kWords = sizeof(T) / sizeof(unsigned);
  unsigned words[kWords];
  std::memcpy(words, &value, sizeof(T));
#pragma unroll
  for (int k = 0; k < kWords; ++k) words[k] = __shfl_xor_sync(kAllLanes, words[k], lanes);
  std::memcpy(&value, words, sizeof(T));
  return value;
}

/// The combination of all 32 lanes' values, in every lane. All lanes take part.
template <class T, class Op>
__device__ T fold_warp(T value, Op combine) {
#pragma unroll
  for (int lanes = kWarp / 2; lanes > 0; lanes /= 2) value = combine(value, exchange(value, lanes));
  return value;
}

/// The combination of all threads' values, in every thread of the block. All threads take part; the block has
/// kThreads of them, a power of two, 32 at least.
template <int kThreads, class T, class Op>
__device__ T fold_block(T value, Op combine) {
  value = fold_warp(value, combine);
  if constexpr (kThreads > kWarp) {
    constexpr int kWarps = kThreads / kWarp;
    __shared__ T partial[kWarps];
    __syncthreads();  // whoever still reads what the last fold left here is done
    if (threadIdx.x % kWarp == 0) partial[threadIdx.x / kWarp] = value;
    __syncthreads();  // all warps have left their result
    value = partial[threadIdx.x % kWarps];
#pragma unroll
    for (int lanes = kWarps / 2; lanes > 0; lanes /= 2) value = combine(value, exchange(value, lanes));
  }
  return value;
}

struct Max {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

struct Sum {
  __device__ float operator()(float a, float b) const { return a + b; }
};
