// Rung 1: copy the inputs to the device, add there, copy the sum back.
#include "common/cuda_check.h"
#include "vector_add.h"

// TODO(1): the kernel add_kernel(out, a, b, n): a thread finds its element, and adds it unless it lies behind
//          the end (4 lines).
// BEGIN SOLUTION
__global__ void add_kernel(float* out, const float* a, const float* b, std::int64_t n) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;  // not in 32 bits
  if (i < n) out[i] = a[i] + b[i];
}
// END SOLUTION

/// Puts the addition into the GPU's queue.
inline void launch_add(float* out, const float* a, const float* b, std::int64_t n) {
  // TODO(2): choose the threads a block has, whole warps of 32; launch add_kernel with enough such blocks
  //          for n elements, rounding up; and check that the launch was accepted: it returns nothing by
  //          itself, cudaGetLastError() knows, and CUDA_CHECK throws what that returns (4 lines).
  // BEGIN SOLUTION
  constexpr int kBlock = 256;  // threads a block: whole warps of 32, and at most 1024 on any GPU
  const unsigned blocks = static_cast<unsigned>((n + kBlock - 1) / kBlock);  // rounded up
  add_kernel<<<blocks, kBlock>>>(out, a, b, n);
  CUDA_CHECK(cudaGetLastError());
  // END SOLUTION
}

cudaError_t vector_add_allocate(Vectors& v, std::int64_t n) {
  v.n = n;
  v.a = new float[n];  // ordinary host memory: the system may move or swap its pages
  v.b = new float[n];
  v.out = new float[n];
  // TODO(3): allocate n floats of device memory each for d_a, d_b and d_out; sizes are in bytes (3 lines).
  // BEGIN SOLUTION
  CUDA_CHECK(cudaMalloc(&v.d_a, n * sizeof(float)));  // device memory: the host can't read it
  CUDA_CHECK(cudaMalloc(&v.d_b, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&v.d_out, n * sizeof(float)));
  // END SOLUTION
  return cudaSuccess;
}

cudaError_t vector_add(Vectors& v) {
  if (v.n == 0) return cudaSuccess;  // a grid of no blocks would be a launch error
  // TODO(4): copy a and b to d_a and d_b, add there, and copy the sum back; cudaMemcpy waits for the kernel
  //          by itself (4 lines).
  // BEGIN SOLUTION
  CUDA_CHECK(cudaMemcpy(v.d_a, v.a, v.n * sizeof(float), cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(v.d_b, v.b, v.n * sizeof(float), cudaMemcpyHostToDevice));
  launch_add(v.d_out, v.d_a, v.d_b, v.n);
  CUDA_CHECK(cudaMemcpy(v.out, v.d_out, v.n * sizeof(float), cudaMemcpyDeviceToHost));
  // END SOLUTION
  return cudaSuccess;
}

cudaError_t vector_add_free(Vectors& v) {
  delete[] v.a;
  delete[] v.b;
  delete[] v.out;
  // TODO(5): give back the device memory (3 lines).
  // BEGIN SOLUTION
  CUDA_CHECK(cudaFree(v.d_a));
  CUDA_CHECK(cudaFree(v.d_b));
  CUDA_CHECK(cudaFree(v.d_out));
  // END SOLUTION
  v = {};
  return cudaSuccess;
}
