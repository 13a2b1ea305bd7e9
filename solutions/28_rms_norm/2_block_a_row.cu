// Rung 2: one kernel, a block a row: its threads share the row's sum.
#include <cstdint>

#include "rms_norm.h"

constexpr int kWarp = 32;
constexpr int kBlock = 256;                 // threads a block: eight warps
constexpr unsigned kAllLanes = 0xffffffff;  // a bit for each lane of the warp

/// The sum over the 32 lanes of a warp, in every lane. All lanes take part.
__device__ float warp_sum(float value) {
  // TODO(1): five steps: add what the lane has whose number differs in one bit, __shfl_xor_sync (2 lines).
  // BEGIN SOLUTION
#pragma unroll
  for (int lanes = kWarp / 2; lanes > 0; lanes /= 2) value += __shfl_xor_sync(kAllLanes, value, lanes);
  // END SOLUTION
  return value;
}

/// The sum over all threads of the block, in every thread. All threads take part, once in a kernel.
template <int kThreads>
__device__ float block_sum(float value) {
  constexpr int kWarps = kThreads / kWarp;
  __shared__ float partial[kWarps];
  float sum = 0;
  // TODO(2): one lane of each warp leaves the warp's sum in `partial`; when all have done so, every thread
  //          adds up all of them (5 lines).
  // BEGIN SOLUTION
  value = warp_sum(value);
  if (threadIdx.x % kWarp == 0) partial[threadIdx.x / kWarp] = value;
  __syncthreads();  // all warps have left their sums
#pragma unroll
  for (int warp = 0; warp < kWarps; ++warp) sum += partial[warp];
  // END SOLUTION
  return sum;
}

__global__ void __launch_bounds__(kBlock)
    rms_norm_kernel(__nv_bfloat16* out, float* factor, const __nv_bfloat16* x, const __nv_bfloat16* weight,
                    float epsilon, int cols) {
  const std::int64_t row = blockIdx.x;
  const __nv_bfloat16* const from = x + row * cols;
  __nv_bfloat16* const to = out + row * cols;
  // TODO(3): the row's squares, kBlock threads side by side; the block's sum; the factor, which one thread
  //          stores; and the row a second time, scaled (9 lines).
  // BEGIN SOLUTION
  float sum = 0;
  for (int col = threadIdx.x; col < cols; col += kBlock) {
    const float value = __bfloat162float(from[col]);
    sum += value * value;
  }
  const float scale = rsqrtf(block_sum<kBlock>(sum) / static_cast<float>(cols) + epsilon);
  if (threadIdx.x == 0) factor[row] = scale;
  for (int col = threadIdx.x; col < cols; col += kBlock)
    to[col] = __float2bfloat16(__bfloat162float(from[col]) * scale * __bfloat162float(weight[col]));
  // END SOLUTION
}

cudaError_t rms_norm(__nv_bfloat16* out, float* factor, const __nv_bfloat16* x, const __nv_bfloat16* weight,
                     float epsilon, int rows, int cols) {
  if (rows == 0 || cols == 0) return cudaSuccess;
  rms_norm_kernel<<<rows, kBlock>>>(out, factor, x, weight, epsilon, cols);
  return cudaGetLastError();
}
