// What one would put together from the toolkit's parts: a block a row, held in registers as vectors of 16
// bytes, cub::BlockReduce.
#include <cstdint>
#include <cub/block/block_load.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_store.cuh>

#include "rms_norm.h"

/// Eight bf16, for loads and stores of 16 bytes.
struct alignas(16) Eight {
  __nv_bfloat162 pair[4];
};

template <int kThreads, int kEach>
__global__ void __launch_bounds__(kThreads)
    rms_norm_kernel(__nv_bfloat16* out, float* factor, const __nv_bfloat16* x, const __nv_bfloat16* weight,
                    float epsilon, int cols) {
  using Reduce = cub::BlockReduce<float, kThreads>;
  __shared__ typename Reduce::TempStorage scratch;
  __shared__ float all;
  const std::int64_t start = static_cast<std::int64_t>(blockIdx.x) * cols;
  const int vectors = cols / 8;
  Eight held[kEach], weights[kEach];
  cub::LoadDirectStriped<kThreads>(threadIdx.x, reinterpret_cast<const Eight*>(x + start), held, vectors,
                                   Eight{});
  cub::LoadDirectStriped<kThreads>(threadIdx.x, reinterpret_cast<const Eight*>(weight), weights, vectors,
                                   Eight{});
  float sum = 0;
#pragma unroll
  for (int k = 0; k < kEach; ++k)
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const float2 value = __bfloat1622float2(held[k].pair[j]);
      sum += value.x * value.x + value.y * value.y;
    }
  sum = Reduce(scratch).Sum(sum);
  if (threadIdx.x == 0) all = factor[blockIdx.x] = rsqrtf(sum / static_cast<float>(cols) + epsilon);
  __syncthreads();
#pragma unroll
  for (int k = 0; k < kEach; ++k)
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const float2 value = __bfloat1622float2(held[k].pair[j]), by = __bfloat1622float2(weights[k].pair[j]);
      held[k].pair[j] = __floats2bfloat162_rn(value.x * all * by.x, value.y * all * by.y);
    }
  cub::StoreDirectStriped<kThreads>(threadIdx.x, reinterpret_cast<Eight*>(out + start), held, vectors);
}

cudaError_t rms_norm(__nv_bfloat16* out, float* factor, const __nv_bfloat16* x, const __nv_bfloat16* weight,
                     float epsilon, int rows, int cols) {
  if (rows == 0 || cols == 0) return cudaSuccess;
  if (cols <= 2048)
    rms_norm_kernel<256, 1><<<rows, 256>>>(out, factor, x, weight, epsilon, cols);
  else if (cols <= 8192)
    rms_norm_kernel<256, 4><<<rows, 256>>>(out, factor, x, weight, epsilon, cols);
  else
    rms_norm_kernel<512, 4><<<rows, 512>>>(out, factor, x, weight, epsilon, cols);
  return cudaGetLastError();
}
