// Rung 6: first the maxima of parts of columns, then of rows of those: 2 * window steps in place of window^2.
#include <cmath>
#include <cstddef>

#include "conv3d_and_maxpool.h"

constexpr int kRows = 32, kCols = 128;  // of a block's part of the result, before the stride thins it out
constexpr int kThreads = 256;
constexpr int kInCols = kCols + 15;  // of the input, that this may need: windows have up to 16 columns

/// How many windows there are along an extent if they are one apart, from the first to the last that count.
__host__ __device__ int dense(int windows, int stride) { return (windows - 1) * stride + 1; }

__global__ void __launch_bounds__(kThreads) max_pool_kernel(float* out, const float* in, PoolShape shape) {
  __shared__ float tall[kRows][kInCols];  // maxima of `window` neighbours in a column
  const int out_rows = shape.out_rows(), out_cols = shape.out_cols();
  const int rows = dense(out_rows, shape.stride), cols = dense(out_cols, shape.stride);
  const int across = (cols + kCols - 1) / kCols, down = (rows + kRows - 1) / kRows;
  const int x0 = blockIdx.x % across * kCols, y0 = blockIdx.x / across % down * kRows;
  const std::size_t p = blockIdx.x / across / down;
  const float* plane = in + p * shape.rows * shape.cols;

  // TODO(1): tall[r][j] becomes the maximum of `window` elements, one below the other, of column x0 + j -
  //          padding, from row y0 + r - padding on. Those outside of the plane count for nothing. The block's
  //          threads share the work, neighbours having neighbouring columns; and then (11 lines)?
  // BEGIN SOLUTION
  for (int i = threadIdx.x; i < kInCols * kRows; i += kThreads) {
    const int j = i % kInCols, r = i / kInCols;  // neighbouring threads have neighbouring columns
    const int row = y0 + r - shape.padding, col = x0 + j - shape.padding;
    const bool is_col = col >= 0 && col < shape.cols;
    float most = -INFINITY;
    if (is_col)
      for (int k = max(row, 0); k < min(row + shape.window, shape.rows); ++k)
        most = fmaxf(most, plane[static_cast<std::size_t>(k) * shape.cols + col]);
    tall[r][j] = most;
  }
  __syncthreads();  // the columns are there before anybody goes along a row
  // END SOLUTION

  for (int i = threadIdx.x; i < kRows * kCols; i += kThreads) {
    const int r = i / kCols, c = i % kCols, y = y0 + r, x = x0 + c;
    if (y >= rows || x >= cols) continue;
    if (shape.stride > 1 && (y % shape.stride != 0 || x % shape.stride != 0)) continue;  // does not count
    // TODO(2): the maximum of `window` neighbours in row r of `tall`, from column c on; and where does it
    //          belong in out, whose windows are `stride` apart (3 lines)?
    // BEGIN SOLUTION
    float most = -INFINITY;
    for (int k = 0; k < shape.window; ++k) most = fmaxf(most, tall[r][c + k]);
    out[(p * out_rows + y / shape.stride) * out_cols + x / shape.stride] = most;
    // END SOLUTION
  }
}

cudaError_t max_pool(float* out, const float* in, const PoolShape& shape) {
  if (shape.planes == 0 || shape.out_rows() == 0 || shape.out_cols() == 0) return cudaSuccess;
  const unsigned across = (dense(shape.out_cols(), shape.stride) + kCols - 1) / kCols;
  const unsigned down = (dense(shape.out_rows(), shape.stride) + kRows - 1) / kRows;
  max_pool_kernel<<<across * down * shape.planes, kThreads>>>(out, in, shape);
  return cudaGetLastError();
}
