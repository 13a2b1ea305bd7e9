// What one would put together from the toolkit's parts: a block a row, held in registers, cub::BlockReduce.
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <cub/block/block_load.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_store.cuh>

#include "softmax.h"

struct Larger {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

template <int kThreads, int kEach>
__global__ void __launch_bounds__(kThreads) softmax_kernel(float* out, const float* in, int cols) {
  using Reduce = cub::BlockReduce<float, kThreads>;
  __shared__ typename Reduce::TempStorage scratch;
  __shared__ float all;
  const std::int64_t start = static_cast<std::int64_t>(blockIdx.x) * cols;
  float v[kEach];
  cub::LoadDirectStriped<kThreads>(threadIdx.x, in + start, v, cols, -INFINITY);
  const float largest = Reduce(scratch).Reduce(v, Larger{});
  if (threadIdx.x == 0) all = fmaxf(largest, -FLT_MAX);
  __syncthreads();
#pragma unroll
  for (int k = 0; k < kEach; ++k) v[k] = expf(v[k] - all);
  __syncthreads();
  const float sum = Reduce(scratch).Sum(v);
  if (threadIdx.x == 0) all = 1.0f / sum;
  __syncthreads();
#pragma unroll
  for (int k = 0; k < kEach; ++k) v[k] *= all;
  cub::StoreDirectStriped<kThreads>(threadIdx.x, out + start, v, cols);
}

cudaError_t softmax(float* out, const float* in, int rows, int cols) {
  if (rows == 0 || cols == 0) return cudaSuccess;
  if (cols <= 1024)
    softmax_kernel<256, 4><<<rows, 256>>>(out, in, cols);
  else if (cols <= 8192)
    softmax_kernel<512, 16><<<rows, 512>>>(out, in, cols);
  else if (cols <= 32768)
    softmax_kernel<1024, 32><<<rows, 1024>>>(out, in, cols);
  else
    softmax_kernel<1024, 64><<<rows, 1024>>>(out, in, cols);  // spills some of its registers
  return cudaGetLastError();
}
