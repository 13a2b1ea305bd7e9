// Rung 6: LayerNorm: the mean first, then the variance around it, both from registers.
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

/// The sum over all threads of the block, in every thread. All threads take part, as often as one likes.
template <int kThreads>
__device__ float block_sum(float value) {
  constexpr int kWarps = kThreads / kWarp;
  __shared__ float partial[kWarps];
  value = warp_sum(value);
  // TODO(1): this is called twice now. What may another warp still be doing with `partial` (1 line)?
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
#pragma unroll
  for (int j = 0; j < kWide / 2; ++j) {
    const float2 two = __bfloat1622float2(pair[j]);
    result.at[2 * j] = two.x;
    result.at[2 * j + 1] = two.y;
  }
  return result;
}

/// The way back: each is rounded to the nearest bf16.
__device__ uint4 pack(const Eight& value) {
  uint4 bits;
  __nv_bfloat162* const pair = reinterpret_cast<__nv_bfloat162*>(&bits);
#pragma unroll
  for (int j = 0; j < kWide / 2; ++j) pair[j] = __floats2bfloat162_rn(value.at[2 * j], value.at[2 * j + 1]);
  return bits;
}

__device__ float sum_of(const Eight& value) {
  float sum = 0;
#pragma unroll
  for (int j = 0; j < kWide; ++j) sum += value.at[j];
  return sum;
}

/// The sum of the squares of how far the elements are from their row's mean.
__device__ float spread_of(const Eight& value, float mean) {
  float sum = 0;
  // TODO(2): subtract, and then square (5 lines).
  return sum;
}

/// What is stored.
__device__ Eight normalised(Eight value, float mean, float scale, const Eight& weight, const Eight& bias) {
#pragma unroll
  for (int j = 0; j < kWide; ++j) value.at[j] = (value.at[j] - mean) * scale * weight.at[j] + bias.at[j];
  return value;
}

/// A row of up to kEach * kThreads vectors for each block, held in its registers as it lies in memory: four
/// registers a vector, where the floats would take eight.
template <int kThreads, int kEach>
__global__ void __launch_bounds__(kThreads)
    layer_norm_kernel(__nv_bfloat16* out, const __nv_bfloat16* x, const __nv_bfloat16* weight,
                      const __nv_bfloat16* bias, float epsilon, int cols) {
  const std::int64_t row = blockIdx.x;
  const int vectors = cols / kWide;  // of a row
  const uint4* const from = reinterpret_cast<const uint4*>(x + row * cols);
  const uint4* const weights = reinterpret_cast<const uint4*>(weight);
  const uint4* const biases = reinterpret_cast<const uint4*>(bias);
  uint4* const to = reinterpret_cast<uint4*>(out + row * cols);

  uint4 held[kEach];
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    const int i = static_cast<int>(threadIdx.x) + k * kThreads;
    held[k] = i < vectors ? __ldcs(from + i) : uint4{};  // all bits 0: eight zeros
  }
  float mean = 0, scale = 0;
  // TODO(3): the row's mean; then what the variance is the mean of, of the vectors that the row has: the
  //          zeros behind its end are far from its mean; then what every element is multiplied with (11
  //          lines).
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    const int i = static_cast<int>(threadIdx.x) + k * kThreads;
    if (i < vectors)
      __stcs(to + i, pack(normalised(unpack(held[k]), mean, scale, unpack(weights[i]), unpack(biases[i]))));
  }
}

/// Launches the kernel if its blocks can hold a row.
/// @return whether they can
template <int kThreads, int kEach>
bool launched(__nv_bfloat16* out, const __nv_bfloat16* x, const __nv_bfloat16* weight,
              const __nv_bfloat16* bias, float epsilon, int rows, int cols) {
  if (cols > kThreads * kEach * kWide) return false;
  layer_norm_kernel<kThreads, kEach><<<rows, kThreads>>>(out, x, weight, bias, epsilon, cols);
  return true;
}

cudaError_t layer_norm(__nv_bfloat16* out, const __nv_bfloat16* x, const __nv_bfloat16* weight,
                       const __nv_bfloat16* bias, float epsilon, int rows, int cols) {
  if (rows == 0 || cols == 0) return cudaSuccess;
  if (!launched<256, 1>(out, x, weight, bias, epsilon, rows, cols) &&
      !launched<256, 2>(out, x, weight, bias, epsilon, rows, cols) &&
      !launched<256, 4>(out, x, weight, bias, epsilon, rows, cols) &&
      !launched<512, 4>(out, x, weight, bias, epsilon, rows, cols))
    return cudaErrorInvalidValue;  // wider than kMostCols
  return cudaGetLastError();
}
