// Rung 1: copy the inputs to the device, add there, copy the sum back.
#include "common/cuda_check.h"
#include "vector_add.h"

__global__ void add_kernel(float* out, const float* a, const float* b, std::int64_t n) {
  // TODO(1): find this thread's element from blockIdx, blockDim and threadIdx, and add it
  //          unless it lies behind the end: the last block may have threads to spare (2 lines).
}

/// Puts the addition into the GPU's queue.
inline void launch_add(float* out, const float* a, const float* b, std::int64_t n) {
  // TODO(2): choose the threads a block has, whole warps of 32; launch add_kernel with enough such blocks
  //          for n elements, rounding up; and check that the launch was accepted: it returns nothing
  //          by itself, cudaGetLastError() knows (4 lines).
}

cudaError_t vector_add_allocate(Vectors& v, std::int64_t n) {
  v.n = n;
  v.a = new float[n];  // ordinary host memory: the system may move or swap its pages
  v.b = new float[n];
  v.out = new float[n];
  CUDA_CHECK(cudaMalloc(&v.d_a, n * sizeof(float)));  // device memory: the host can't read it
  CUDA_CHECK(cudaMalloc(&v.d_b, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&v.d_out, n * sizeof(float)));
  return cudaSuccess;
}

cudaError_t vector_add(Vectors& v) {
  if (v.n == 0) return cudaSuccess;  // a grid of no blocks would be a launch error
  // TODO(3): copy a and b to d_a and d_b; sizes are in bytes (2 lines).
  launch_add(v.d_out, v.d_a, v.d_b, v.n);
  // TODO(4): copy the sum back; cudaMemcpy waits for the kernel by itself (1 line).
  return cudaSuccess;
}

cudaError_t vector_add_free(Vectors& v) {
  delete[] v.a;
  delete[] v.b;
  delete[] v.out;
  CUDA_CHECK(cudaFree(v.d_a));
  CUDA_CHECK(cudaFree(v.d_b));
  CUDA_CHECK(cudaFree(v.d_out));
  v = {};
  return cudaSuccess;
}
