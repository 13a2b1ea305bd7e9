// Rung 1: a kernel for each operation.
#include "fused_bias_mask_scale_add.h"

constexpr int kBlock = 256;  // threads a block: eight warps

/// The element of this thread.
__device__ unsigned my_element() { return blockIdx.x * blockDim.x + threadIdx.x; }

__global__ void bias_kernel(float* y, const float* x, const float* bias, unsigned cols, unsigned n) {
  // TODO(1): add its column's bias to x[i], if there is an element i; the result goes to y[i]. Rows
  //          follow one another without a gap: which column is i in (2 lines)?
  // BEGIN SOLUTION
  const unsigned i = my_element();
  if (i < n) y[i] = x[i] + bias[i % cols];
  // END SOLUTION
}

__global__ void mask_kernel(float* y, const std::uint8_t* mask, unsigned n) {
  // TODO(2): drop y[i] if the mask says so, in place (2 lines).
  // BEGIN SOLUTION
  const unsigned i = my_element();
  if (i < n) y[i] = mask[i] ? y[i] : 0.0f;
  // END SOLUTION
}

__global__ void scale_kernel(float* y, float scale, unsigned n) {
  const unsigned i = my_element();
  if (i < n) y[i] *= scale;
}

__global__ void add_kernel(float* y, const float* residual, unsigned n) {
  const unsigned i = my_element();
  if (i < n) y[i] += residual[i];
}

cudaError_t bias_mask_scale_add(float* out, const float* in, const float* bias, const std::uint8_t* mask,
                                const float* residual, float scale, int rows, int cols) {
  if (rows == 0 || cols == 0) return cudaSuccess;
  const unsigned n = static_cast<unsigned>(rows) * static_cast<unsigned>(cols);
  // TODO(3): the four kernels, one after the other, a thread for each element. `out` holds what one
  //          leaves for the next (5 lines).
  // BEGIN SOLUTION
  const unsigned blocks = (n + kBlock - 1) / kBlock;
  bias_kernel<<<blocks, kBlock>>>(out, in, bias, static_cast<unsigned>(cols), n);
  mask_kernel<<<blocks, kBlock>>>(out, mask, n);
  scale_kernel<<<blocks, kBlock>>>(out, scale, n);
  add_kernel<<<blocks, kBlock>>>(out, residual, n);
  // END SOLUTION
  return cudaGetLastError();
}
