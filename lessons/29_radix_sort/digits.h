// What the rungs have in common: digits, their prefix sums, and the word in which a tile says how many keys
// have a digit.
#pragma once

#include <cstdint>

// As in common/tile_status.h: cuda::atomic_ref's header takes seconds of every compilation.
#if __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ < 1208
#include <cuda/atomic>
#endif

constexpr unsigned kWarp = 32;              // lanes of a warp
constexpr unsigned kAllLanes = 0xffffffff;  // a bit for each lane of the warp
constexpr int kDigitBits = 8;
constexpr unsigned kDigits = 1 << kDigitBits;  // values that a digit may have

/// The eight bits of a key from bit @p shift on.
template <class Key>
__device__ unsigned digit_of(Key key, int shift) {
  return static_cast<unsigned>(key >> shift) & (kDigits - 1);
}

/// A bit for each lane of the warp that is below this one.
__device__ inline unsigned lower_lanes() { return (1u << threadIdx.x % kWarp) - 1; }

/// Called by all threads of a block, with a value each of the first kDigits; a barrier has to lie between two
/// calls.
/// @return of these, the sum of the values of all lower threads
__device__ inline unsigned scan_digits(unsigned value) {
  __shared__ unsigned totals[kDigits / kWarp];  // of each warp
  const unsigned lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
  unsigned sum = value;
#pragma unroll
  for (unsigned offset = 1; offset < kWarp; offset *= 2) {
    const unsigned lower = __shfl_up_sync(kAllLanes, sum, offset);
    if (lane >= offset) sum += lower;
  }
  if (lane == kWarp - 1 && warp < kDigits / kWarp) totals[warp] = sum;
  __syncthreads();  // all totals are there
  sum -= value;
#pragma unroll
  for (unsigned w = 0; w < kDigits / kWarp; ++w) sum += w < warp ? totals[w] : 0;
  return sum;
}

/// What is known of a tile and a digit, in the two highest bits of a word; the count is in the others. A word
/// that is 0 says nothing.
constexpr unsigned kTotal = 1u << 30;   // the count is the tile's own
constexpr unsigned kPrefix = 2u << 30;  // ... is that of all tiles up to this one, and of all smaller digits
constexpr unsigned kCount = kTotal - 1;

/// Lets all blocks of the GPU see @p count. What it is travels in the same 4 bytes, so the order of other
/// reads and writes does not matter: "relaxed".
/// @param known  kTotal or kPrefix
__device__ inline void publish(unsigned* word, unsigned known, unsigned count) {
#if __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ < 1208
  cuda::atomic_ref<unsigned, cuda::thread_scope_device>(*word).store(known | count,
                                                                     cuda::memory_order_relaxed);
#else
  __nv_atomic_store_n(word, known | count, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
#endif
}

/// What has been published in @p word up to now.
__device__ inline unsigned look(unsigned* word) {
#if __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ < 1208
  return cuda::atomic_ref<unsigned, cuda::thread_scope_device>(*word).load(cuda::memory_order_relaxed);
#else
  return __nv_atomic_load_n(word, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
#endif
}
