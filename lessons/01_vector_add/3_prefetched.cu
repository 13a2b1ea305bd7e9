// Rung 3: say ahead of time where managed pages will be needed, so that they move in bulk.
#include "common/cuda_check.h"
#include "common/prefetch.h"
#include "vector_add.h"

__global__ void add_kernel(float* out, const float* a, const float* b, std::int64_t n) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] + b[i];
}

/// Puts the addition into the GPU's queue.
inline void launch_add(float* out, const float* a, const float* b, std::int64_t n) {
  constexpr int kBlock = 256;  // threads a block: whole warps of 32, and at most 1024 on any GPU
  const unsigned blocks = static_cast<unsigned>((n + kBlock - 1) / kBlock);  // rounded up
  add_kernel<<<blocks, kBlock>>>(out, a, b, n);
  CUDA_CHECK(cudaGetLastError());
}

cudaError_t vector_add_allocate(Vectors& v, std::int64_t n) {
  v.n = n;
  if (n == 0) return cudaSuccess;  // unlike cudaMalloc, cudaMallocManaged refuses 0 bytes
  CUDA_CHECK(cudaMallocManaged(&v.a, n * sizeof(float)));
  CUDA_CHECK(cudaMallocManaged(&v.b, n * sizeof(float)));
  CUDA_CHECK(cudaMallocManaged(&v.out, n * sizeof(float)));
  return cudaSuccess;
}

cudaError_t vector_add(Vectors& v) {
  if (v.n == 0) return cudaSuccess;  // a grid of no blocks would be a launch error
  // TODO(1): ask which device is the current one, and prefetch a, b and out to it (6 lines). The default
  //          stream keeps the order: a kernel behind them starts when the pages are there.

  // TODO(2): launch as in rung 2, prefetch out to the host for its reader,
  //          and wait for everything (3 lines).
  return cudaSuccess;
}

cudaError_t vector_add_free(Vectors& v) {
  CUDA_CHECK(cudaFree(v.a));
  CUDA_CHECK(cudaFree(v.b));
  CUDA_CHECK(cudaFree(v.out));
  v = {};
  return cudaSuccess;
}
