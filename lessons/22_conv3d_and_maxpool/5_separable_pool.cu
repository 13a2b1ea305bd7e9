// Rung 5: first the maxima of parts of rows, then of columns of those: 2 * window steps in place of window^2.
#include <cmath>
#include <cstddef>

#include "conv3d_and_maxpool.h"

constexpr int kCols = 32, kThreadRows = 8;  // threads of a block: a warp a row
constexpr int kRows = 32;                   // of a block's part of the result

__global__ void max_pool_kernel(float* out, const float* in, PoolShape shape) {
  extern __shared__ float across[];  // [in_rows][kCols]: maxima of `window` neighbours in a row of the input
  const int out_rows = shape.out_rows(), out_cols = shape.out_cols();
  const int in_rows = (kRows - 1) * shape.stride + shape.window;  // of the input, that the block's part needs
  const int blocks_across = (out_cols + kCols - 1) / kCols, blocks_down = (out_rows + kRows - 1) / kRows;
  const int x = blockIdx.x % blocks_across * kCols + threadIdx.x;
  const int y0 = blockIdx.x / blocks_across % blocks_down * kRows;
  const std::size_t p = blockIdx.x / blocks_across / blocks_down;
  const float* plane = in + p * shape.rows * shape.cols;
  const int left = x * shape.stride - shape.padding;

  // TODO(1): for the rows threadIdx.y, threadIdx.y + kThreadRows ... of the in_rows: the maximum of this
  //          window's columns in that row, into across. Rows and columns outside of the plane count for
  //          nothing. In which row of the plane does row 0 of the in_rows lie? (about 8 lines)
  __syncthreads();  // the rows are there before anybody goes down a column
  if (x >= out_cols) return;
  // TODO(2): for the rows of the result that this thread has: the maximum of the window's rows of across (6
  //          lines).
}

cudaError_t max_pool(float* out, const float* in, const PoolShape& shape) {
  const int out_rows = shape.out_rows(), out_cols = shape.out_cols();
  const unsigned blocks = (out_cols + kCols - 1) / kCols * ((out_rows + kRows - 1) / kRows) * shape.planes;
  if (blocks == 0) return cudaSuccess;
  const std::size_t bytes = ((kRows - 1) * shape.stride + shape.window) * kCols * sizeof(float);  // < 18 KiB
  max_pool_kernel<<<blocks, dim3(kCols, kThreadRows), bytes>>>(out, in, shape);
  return cudaGetLastError();
}
