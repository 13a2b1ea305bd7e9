// Rung 1: a thread for each element of the result. Every product's two factors come from memory.
#include <cstddef>

#include "conv3d_and_maxpool.h"

constexpr int kThreads = 256;

__global__ void conv3d_kernel(float* out, const float* in, const float* filter, Conv3dShape shape) {
  const int out_depth = shape.out_depth(), out_rows = shape.out_rows(), out_cols = shape.out_cols();
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (i >= static_cast<std::size_t>(shape.batch) * shape.filters * out_depth * out_rows * out_cols) return;

  // TODO(1): take i apart. Neighbouring threads have neighbouring columns, then rows, planes, filters and
  //          volumes (4 lines).

  // TODO(2): add up the products over all channels and the filter's planes, rows and columns, leaving out
  //          those whose element lies in the padding, and store the sum (about 16 lines).
}

cudaError_t conv3d(float* out, const float* in, const float* filter, const Conv3dShape& shape) {
  const std::size_t elements = static_cast<std::size_t>(shape.batch) * shape.filters * shape.out_depth() *
                               shape.out_rows() * shape.out_cols();
  if (elements == 0) return cudaSuccess;
  const unsigned blocks = (elements + kThreads - 1) / kThreads;
  conv3d_kernel<<<blocks, kThreads>>>(out, in, filter, shape);
  return cudaGetLastError();
}
