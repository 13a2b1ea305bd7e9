// Rung 1: a thread for each element of the result. Every product's two factors come from memory.
#include <cstddef>

#include "conv2d.h"

constexpr int kThreads = 256;

__global__ void conv2d_kernel(float* out, const float* in, const float* filter, ConvShape shape) {
  const int out_rows = shape.out_rows(), out_cols = shape.out_cols();
  std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (i >= static_cast<std::size_t>(shape.batch) * shape.filters * out_rows * out_cols) return;

  // TODO(1): take i apart. Neighbouring threads have neighbouring columns, then rows, filters and images
  //          (4 lines; place is where the element is stored).
  // BEGIN SOLUTION
  float* place = out + i;
  const int x = i % out_cols, y = i / out_cols % out_rows;
  const std::size_t plane = i / out_cols / out_rows;
  const std::size_t f = plane % shape.filters, n = plane / shape.filters;
  // END SOLUTION

  // TODO(2): add up the products over all channels and the filter's rows and columns, leaving out those whose
  //          element lies in the padding, and store the sum (about 13 lines).
  // BEGIN SOLUTION
  float sum = 0;
  for (int c = 0; c < shape.channels; ++c) {
    const float* image = in + (n * shape.channels + c) * shape.rows * shape.cols;
    const float* weights = filter + (f * shape.channels + c) * shape.side * shape.side;
    for (int r = 0; r < shape.side; ++r)
      for (int s = 0; s < shape.side; ++s) {
        const int row = y * shape.stride + r * shape.dilation - shape.padding;
        const int col = x * shape.stride + s * shape.dilation - shape.padding;
        if (row >= 0 && row < shape.rows && col >= 0 && col < shape.cols)
          sum += weights[r * shape.side + s] * image[static_cast<std::size_t>(row) * shape.cols + col];
      }
  }
  *place = sum;
  // END SOLUTION
}

cudaError_t conv2d(float* out, const float* in, const float* filter, const ConvShape& shape) {
  const std::size_t elements =
      static_cast<std::size_t>(shape.batch) * shape.filters * shape.out_rows() * shape.out_cols();
  if (elements == 0) return cudaSuccess;
  const unsigned blocks = (elements + kThreads - 1) / kThreads;
  conv2d_kernel<<<blocks, kThreads>>>(out, in, filter, shape);
  return cudaGetLastError();
}
