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
  // BEGIN SOLUTION
  const int x = i % out_cols, y = i / out_cols % out_rows;
  const std::size_t plane = i / out_cols / out_rows;
  const int z = plane % out_depth;
  const std::size_t f = plane / out_depth % shape.filters, n = plane / out_depth / shape.filters;
  // END SOLUTION

  // TODO(2): add up the products over all channels and the filter's planes, rows and columns, leaving out
  //          those whose element lies in the padding, and store the sum (about 16 lines).
  // BEGIN SOLUTION
  float sum = 0;
  for (int c = 0; c < shape.channels; ++c) {
    const float* volume = in + (n * shape.channels + c) * shape.depth * shape.rows * shape.cols;
    const float* weights = filter + (f * shape.channels + c) * shape.side * shape.side * shape.side;
    for (int t = 0; t < shape.side; ++t)
      for (int r = 0; r < shape.side; ++r)
        for (int s = 0; s < shape.side; ++s) {
          const int depth = z + t - shape.padding, row = y + r - shape.padding, col = x + s - shape.padding;
          if (depth >= 0 && depth < shape.depth && row >= 0 && row < shape.rows && col >= 0 &&
              col < shape.cols)
            sum += weights[(t * shape.side + r) * shape.side + s] *
                   volume[(static_cast<std::size_t>(depth) * shape.rows + row) * shape.cols + col];
        }
  }
  out[i] = sum;
  // END SOLUTION
}

cudaError_t conv3d(float* out, const float* in, const float* filter, const Conv3dShape& shape) {
  const std::size_t elements = static_cast<std::size_t>(shape.batch) * shape.filters * shape.out_depth() *
                               shape.out_rows() * shape.out_cols();
  if (elements == 0) return cudaSuccess;
  const unsigned blocks = (elements + kThreads - 1) / kThreads;
  conv3d_kernel<<<blocks, kThreads>>>(out, in, filter, shape);
  return cudaGetLastError();
}
