// Rung 1: a thread for each element of the result. Every product's two factors come from memory.
#include "conv2d.h"
#include "pixel.h"

// Of a plane of the result, a block: a warp a row, one element a thread.
constexpr int kTileCols = 32, kThreadRows = 8, kTileRows = kThreadRows;

__global__ void conv2d_kernel(float* out, const float* in, const float* filter, ConvShape shape) {
  const int out_rows = shape.out_rows(), out_cols = shape.out_cols();
  const int across = (out_cols + kTileCols - 1) / kTileCols, down = (out_rows + kTileRows - 1) / kTileRows;
  // TODO(1): take the block's number apart. `across` blocks lie side by side in a plane of the result, `down`
  //          rows of them one below the other; then come the planes of the other filters, then other images.
  //          Which element is this thread's, and where in the image is the filter's corner for it (7 lines)?
  // BEGIN SOLUTION
  const int x0 = blockIdx.x % across * kTileCols, y0 = blockIdx.x / across % down * kTileRows;
  const int f = blockIdx.x / across / down % shape.filters;
  const std::size_t n = blockIdx.x / across / down / shape.filters;
  const int x = x0 + threadIdx.x, y = y0 + threadIdx.y;
  const int row0 = y * shape.stride - shape.padding;  // where the filter's corner lies in the image
  const int col0 = x * shape.stride - shape.padding;
  if (y >= out_rows || x >= out_cols) return;
  // END SOLUTION

  // TODO(2): add up the products over all channels and the filter's rows and columns, and store the sum. For
  //          what lies in the padding, pixel() reads nothing and gives 0 (14 lines).
  // BEGIN SOLUTION
  const int taps = shape.channels * shape.side * shape.side;
  const std::size_t weights = static_cast<std::size_t>(f) * taps;  // where the filter begins
  float sum = 0;
  for (int c = 0; c < shape.channels; ++c) {
    const float* image = in + (n * shape.channels + c) * shape.rows * shape.cols;
    for (int r = 0; r < shape.side; ++r)
      for (int s = 0; s < shape.side; ++s) {
        const int tap = (c * shape.side + r) * shape.side + s;
        const int at_row = r * shape.dilation, at_col = s * shape.dilation;
        const float value = pixel(image, row0 + at_row, col0 + at_col, shape.rows, shape.cols);
        sum += filter[weights + tap] * value;
      }
  }
  out[((n * shape.filters + f) * out_rows + y) * out_cols + x] = sum;
  // END SOLUTION
}

cudaError_t conv2d(float* out, const float* in, const float* filter, const ConvShape& shape) {
  const int out_rows = shape.out_rows(), out_cols = shape.out_cols();
  if (shape.batch == 0 || shape.filters == 0 || out_rows == 0 || out_cols == 0) return cudaSuccess;
  // TODO(3): launch blocks of kTileCols x kThreadRows threads: as many as TODO(1) takes apart, all of them
  //          along x (4 lines).
  // BEGIN SOLUTION
  const unsigned tiles =
      (out_cols + kTileCols - 1) / kTileCols * ((out_rows + kTileRows - 1) / kTileRows) * shape.batch;
  const dim3 threads(kTileCols, kThreadRows);
  conv2d_kernel<<<shape.filters * tiles, threads>>>(out, in, filter, shape);
  // END SOLUTION
  return cudaGetLastError();
}
