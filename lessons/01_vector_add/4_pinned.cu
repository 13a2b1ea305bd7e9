// Rung 4: pinned host memory: the GPU copies by itself, at the full speed of the link.
#include "common/cuda_check.h"
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
  if (n == 0) return cudaSuccess;
  // TODO(1): allocate a, b and out as pinned host memory: its pages stay where they are, so the
  //          GPU's copy engines can fetch them without the CPU's help (3 lines).
  CUDA_CHECK(cudaMalloc(&v.d_a, n * sizeof(float)));  // device memory: the host can't read it
  CUDA_CHECK(cudaMalloc(&v.d_b, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&v.d_out, n * sizeof(float)));
  return cudaSuccess;
}

cudaError_t vector_add(Vectors& v) {
  if (v.n == 0) return cudaSuccess;  // a grid of no blocks would be a launch error
  // TODO(2): as in rung 1: pinned memory is copied by the same calls (4 lines).
  return cudaSuccess;
}

cudaError_t vector_add_free(Vectors& v) {
  // TODO(3): give back the pinned memory: not delete[], and not cudaFree either (3 lines).
  CUDA_CHECK(cudaFree(v.d_a));
  CUDA_CHECK(cudaFree(v.d_b));
  CUDA_CHECK(cudaFree(v.d_out));
  v = {};
  return cudaSuccess;
}
