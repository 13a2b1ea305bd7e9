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

  // TODO(2): add up the products over all channels and the filter's rows and columns, and store the sum. For
  //          what lies in the padding, pixel() reads nothing and gives 0 (14 lines).
}

cudaError_t conv2d(float* out, const float* in, const float* filter, const ConvShape& shape) {
  const int out_rows = shape.out_rows(), out_cols = shape.out_cols();
  if (shape.batch == 0 || shape.filters == 0 || out_rows == 0 || out_cols == 0) return cudaSuccess;
  // TODO(3): launch blocks of kTileCols x kThreadRows threads: as many as TODO(1) takes apart, all of them
  //          along x (4 lines).
  return cudaGetLastError();
}
