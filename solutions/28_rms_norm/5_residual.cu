// Rung 5: the residual is added on the way: the sum leaves from where it is normalised.
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

__device__ Eight added(Eight a, const Eight& b) {
#pragma unroll
  for (int j = 0; j < kWide; ++j) a.at[j] += b.at[j];
  return a;
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
    add_rms_norm_kernel(__nv_bfloat16* out, __nv_bfloat16* sum, float* factor, const __nv_bfloat16* x,
                        const __nv_bfloat16* residual, const __nv_bfloat16* weight, float epsilon, int cols) {
  const std::int64_t row = blockIdx.x;
  const int vectors = cols / kWide;  // of a row
  const uint4* const from = reinterpret_cast<const uint4*>(x + row * cols);
  const uint4* const more = reinterpret_cast<const uint4*>(residual + row * cols);
  const uint4* const weights = reinterpret_cast<const uint4*>(weight);
  uint4* const sums = reinterpret_cast<uint4*>(sum + row * cols);
  uint4* const to = reinterpret_cast<uint4*>(out + row * cols);

  uint4 held[kEach] = {}, other[kEach] = {};  // all bits 0: zeros where the row has no vector
  // TODO(1): the vectors of both inputs: all loads before the first addition, for a store between them might
  //          be to what the next load reads, as far as the compiler knows (6 lines).
  // BEGIN SOLUTION
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    const int i = static_cast<int>(threadIdx.x) + k * kThreads;
    if (i < vectors) held[k] = __ldcs(from + i);
    if (i < vectors) other[k] = __ldcs(more + i);
  }
  // END SOLUTION
  float squares = 0;
  // TODO(2): add them. What is stored in `sum` is rounded to bf16, and that is what the squares are of and
  //          what is normalised: the next layer's residual and this one's norm agree on it (7 lines).
  // BEGIN SOLUTION
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    const int i = static_cast<int>(threadIdx.x) + k * kThreads;
    held[k] = pack(added(unpack(held[k]), unpack(other[k])));
    if (i < vectors) sums[i] = held[k];  // no __stcs: whoever adds to it next may find it in the L2
    squares += sum_of_squares(unpack(held[k]));
  }
  // END SOLUTION
  const float scale = rsqrtf(block_sum<kThreads>(squares) / static_cast<float>(cols) + epsilon);
  if (threadIdx.x == 0) factor[row] = scale;
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    const int i = static_cast<int>(threadIdx.x) + k * kThreads;
    if (i < vectors) __stcs(to + i, pack(scaled(unpack(held[k]), scale, unpack(weights[i]))));
  }
}

/// Launches the kernel if its blocks can hold a row.
/// @return whether they can
template <int kThreads, int kEach>
bool launched(__nv_bfloat16* out, __nv_bfloat16* sum, float* factor, const __nv_bfloat16* x,
              const __nv_bfloat16* residual, const __nv_bfloat16* weight, float epsilon, int rows, int cols) {
  if (cols > kThreads * kEach * kWide) return false;
  add_rms_norm_kernel<kThreads, kEach>
      <<<rows, kThreads>>>(out, sum, factor, x, residual, weight, epsilon, cols);
  return true;
}

cudaError_t add_rms_norm(__nv_bfloat16* out, __nv_bfloat16* sum, float* factor, const __nv_bfloat16* x,
                         const __nv_bfloat16* residual, const __nv_bfloat16* weight, float epsilon, int rows,
                         int cols) {
  if (rows == 0 || cols == 0) return cudaSuccess;
  if (!launched<256, 1>(out, sum, factor, x, residual, weight, epsilon, rows, cols) &&
      !launched<256, 2>(out, sum, factor, x, residual, weight, epsilon, rows, cols) &&
      !launched<256, 4>(out, sum, factor, x, residual, weight, epsilon, rows, cols) &&
      !launched<512, 4>(out, sum, factor, x, residual, weight, epsilon, rows, cols))
    return cudaErrorInvalidValue;  // wider than kMostCols
  return cudaGetLastError();
}
