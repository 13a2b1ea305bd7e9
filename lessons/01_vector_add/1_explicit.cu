// Rung 1: copy the inputs to the device, add there, copy the sum back.
#include "common/cuda_check.h"
#include "vector_add.h"

// TODO(1): the kernel add_kernel(out, a, b, n): a thread finds its element, and adds it unless it lies behind
//          the end (4 lines).

/// Puts the addition into the GPU's queue.
inline void launch_add(float* out, const float* a, const float* b, std::int64_t n) {
  // TODO(2): choose the threads a block has, whole warps of 32; launch add_kernel with enough such blocks
  //          for n elements, rounding up; and check that the launch was accepted: it returns nothing by
  //          itself, cudaGetLastError() knows, and CUDA_CHECK throws what that returns (4 lines).
}

cudaError_t vector_add_allocate(Vectors& v, std::int64_t n) {
  v.n = n;
  v.a = new float[n];  // ordinary host memory: the system may move or swap its pages
  v.b = new float[n];
  v.out = new float[n];
  // TODO(3): allocate n floats of device memory each for d_a, d_b and d_out; sizes are in bytes (3 lines).
  return cudaSuccess;
}

cudaError_t vector_add(Vectors& v) {
  if (v.n == 0) return cudaSuccess;  // a grid of no blocks would be a launch error
  // TODO(4): copy a and b to d_a and d_b, add there, and copy the sum back; cudaMemcpy waits for the kernel
  //          by itself (4 lines).
  return cudaSuccess;
}

cudaError_t vector_add_free(Vectors& v) {
  delete[] v.a;
  delete[] v.b;
  delete[] v.out;
  // TODO(5): give back the device memory (3 lines).
  v = {};
  return cudaSuccess;
}
