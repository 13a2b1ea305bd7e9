// Rung 4: 16 bytes an access: a thread holds up to four vectors of eight bf16.
#include <cstdint>

#include "rms_norm.h"

constexpr int kWarp = 32;
constexpr int kWide = 8;                    // bf16 in 16 bytes, the widest access a thread has
constexpr unsigned kAllLanes = 0xffffffff;  // a bit for each lane of the warp

/// The sum over the 32 lanes of a warp, in every lane. All lanes take part.
__device__ float warp_sum(float value) {
#pragma unroll
  for (int lanes = kWarp / 2; lanes > 0; lanes /= 2) value += __shfl_xor_sync(kAllLanes, value, lanes);
  return value;
}

/// The sum over all threads of the block, in every thread. All threads take part, once in a kernel.
template <int kThreads>
__device__ float block_sum(float value) {
  constexpr int kWarps = kThreads / kWarp;
  __shared__ float partial[kWarps];
  value = warp_sum(value);
  if (threadIdx.x % kWarp == 0) partial[threadIdx.x / kWarp] = value;
  __syncthreads();  // all warps have left their sums
  float sum = 0;
#pragma unroll
  for (int warp = 0; warp < kWarps; ++warp) sum += partial[warp];
  return sum;
}

/// Eight neighbours, as they are computed with.
struct Eight {
  float at[kWide];
};

/// The eight bf16 that lie in 16 bytes, the first in the lower half of x.
__device__ Eight unpack(uint4 bits) {
  const __nv_bfloat162* const pair = reinterpret_cast<const __nv_bfloat162*>(&bits);
  Eight result;
  // TODO(1): four pairs, each widened to a float2 (6 lines).
  // BEGIN SOLUTION
#pragma unroll
  for (int j = 0; j < kWide / 2; ++j) {
    const float2 two = __bfloat1622float2(pair[j]);
    result.at[2 * j] = two.x;
    result.at[2 * j + 1] = two.y;
  }
  // END SOLUTION
  return result;
}

/// The way back: each is rounded to the nearest bf16.
__device__ uint4 pack(const Eight& value) {
  uint4 bits;
  __nv_bfloat162* const pair = reinterpret_cast<__nv_bfloat162*>(&bits);
  // TODO(2): four pairs, each rounded by __floats2bfloat162_rn(first, second) (2 lines).
  // BEGIN SOLUTION
#pragma unroll
  for (int j = 0; j < kWide / 2; ++j) pair[j] = __floats2bfloat162_rn(value.at[2 * j], value.at[2 * j + 1]);
  // END SOLUTION
  return bits;
}

__device__ float sum_of_squares(const Eight& value) {
  float sum = 0;
#pragma unroll
  for (int j = 0; j < kWide; ++j) sum += value.at[j] * value.at[j];
  return sum;
}

/// What is stored: the elements, times their row's factor, times their columns' weights.
__device__ Eight scaled(Eight value, float scale, const Eight& weight) {
#pragma unroll
  for (int j = 0; j < kWide; ++j) value.at[j] *= scale * weight.at[j];
  return value;
}

/// A row of up to kEach * kThreads vectors for each block, held in its registers as it lies in memory: four
/// registers a vector, where the floats would take eight.
template <int kThreads, int kEach>
__global__ void __launch_bounds__(kThreads)
    rms_norm_kernel(__nv_bfloat16* out, float* factor, const __nv_bfloat16* x, const __nv_bfloat16* weight,
                    float epsilon, int cols) {
  const std::int64_t row = blockIdx.x;
  const int vectors = cols / kWide;  // of a row
  const uint4* const from = reinterpret_cast<const uint4*>(x + row * cols);
  const uint4* const weights = reinterpret_cast<const uint4*>(weight);
  uint4* const to = reinterpret_cast<uint4*>(out + row * cols);
  // TODO(3): as in rung 3, with vectors: all loads first, so that they are under way together. __ldcs(p)
  //          loads and __stcs(p, v) stores what comes by only once: the caches keep the weights instead (16
  //          lines).
  // BEGIN SOLUTION
  uint4 held[kEach];
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    const int i = static_cast<int>(threadIdx.x) + k * kThreads;
    held[k] = i < vectors ? __ldcs(from + i) : uint4{};  // all bits 0: eight zeros
  }
  float sum = 0;
#pragma unroll
  for (int k = 0; k < kEach; ++k) sum += sum_of_squares(unpack(held[k]));
  const float scale = rsqrtf(block_sum<kThreads>(sum) / static_cast<float>(cols) + epsilon);
  if (threadIdx.x == 0) factor[row] = scale;
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    const int i = static_cast<int>(threadIdx.x) + k * kThreads;
    if (i < vectors) __stcs(to + i, pack(scaled(unpack(held[k]), scale, unpack(weights[i]))));
  }
  // END SOLUTION
}

/// Launches the kernel if its blocks can hold a row.
/// @return whether they can
template <int kThreads, int kEach>
bool launched(__nv_bfloat16* out, float* factor, const __nv_bfloat16* x, const __nv_bfloat16* weight,
              float epsilon, int rows, int cols) {
  // TODO(4): "no" for a row that is too long; else the launch (2 lines).
  // BEGIN SOLUTION
  if (cols > kThreads * kEach * kWide) return false;
  rms_norm_kernel<kThreads, kEach><<<rows, kThreads>>>(out, factor, x, weight, epsilon, cols);
  // END SOLUTION
  return true;
}

cudaError_t rms_norm(__nv_bfloat16* out, float* factor, const __nv_bfloat16* x, const __nv_bfloat16* weight,
                     float epsilon, int rows, int cols) {
  if (rows == 0 || cols == 0) return cudaSuccess;
  if (!launched<256, 1>(out, factor, x, weight, epsilon, rows, cols) &&
      !launched<256, 2>(out, factor, x, weight, epsilon, rows, cols) &&
      !launched<256, 4>(out, factor, x, weight, epsilon, rows, cols) &&
      !launched<512, 4>(out, factor, x, weight, epsilon, rows, cols))
    return cudaErrorInvalidValue;  // wider than kMostCols
  return cudaGetLastError();
}
