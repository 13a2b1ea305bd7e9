// Rung 5: a thread for each window, which looks at all of it.
#include <cmath>
#include <cstddef>

#include "conv3d_and_maxpool.h"

constexpr int kThreads = 256;

__global__ void max_pool_kernel(float* out, const float* in, PoolShape shape) {
  const int out_rows = shape.out_rows(), out_cols = shape.out_cols();
  // TODO(1): which window is this thread's, of how many, and in which plane does it lie? Where does it begin,
  //          which may be outside of the plane? Then the largest element of those rows and columns of it that
  //          are within. What is a maximum before anything was seen (10 lines)?
  // BEGIN SOLUTION
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (i >= static_cast<std::size_t>(shape.planes) * out_rows * out_cols) return;
  const float* plane = in + i / out_cols / out_rows * shape.rows * shape.cols;
  const int top = static_cast<int>(i / out_cols % out_rows) * shape.stride - shape.padding;
  const int left = static_cast<int>(i % out_cols) * shape.stride - shape.padding;
  float most = -INFINITY;
  for (int row = max(top, 0); row < min(top + shape.window, shape.rows); ++row)
    for (int col = max(left, 0); col < min(left + shape.window, shape.cols); ++col)
      most = fmaxf(most, plane[static_cast<std::size_t>(row) * shape.cols + col]);
  out[i] = most;
  // END SOLUTION
}

cudaError_t max_pool(float* out, const float* in, const PoolShape& shape) {
  const std::size_t elements = static_cast<std::size_t>(shape.planes) * shape.out_rows() * shape.out_cols();
  if (elements == 0) return cudaSuccess;
  const unsigned blocks = (elements + kThreads - 1) / kThreads;
  max_pool_kernel<<<blocks, kThreads>>>(out, in, shape);
  return cudaGetLastError();
}
