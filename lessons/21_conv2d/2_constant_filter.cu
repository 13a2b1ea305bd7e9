// Rung 2: the filter in constant memory. A warp has one filter, so its lanes all want the same word.
#include "constant.h"
#include "conv2d.h"
#include "pixel.h"

// Of a plane of the result, a block: a warp a row, one element a thread.
constexpr int kTileCols = 32, kThreadRows = 8, kTileRows = kThreadRows;

/// For the filters from @p first on, @p count of them. Where kFits is false, they stay in memory.
template <bool kFits>
__global__ void conv2d_kernel(float* out, const float* in, const float* filter, ConvShape shape, int first,
                              int count) {
  const int out_rows = shape.out_rows(), out_cols = shape.out_cols();
  const int across = (out_cols + kTileCols - 1) / kTileCols, down = (out_rows + kTileRows - 1) / kTileRows;
  const int x0 = blockIdx.x % across * kTileCols, y0 = blockIdx.x / across % down * kTileRows;
  const int f = blockIdx.x / across / down % count;  // among those that are in constant memory
  const std::size_t n = blockIdx.x / across / down / count;
  const int x = x0 + threadIdx.x, y = y0 + threadIdx.y;
  const int row0 = y * shape.stride - shape.padding;  // where the filter's corner lies in the image
  const int col0 = x * shape.stride - shape.padding;
  if (y >= out_rows || x >= out_cols) return;

  const int taps = shape.channels * shape.side * shape.side;
  const std::size_t weights = static_cast<std::size_t>(f) * taps;  // where the filter begins in its group
  float sum = 0;
  for (int c = 0; c < shape.channels; ++c) {
    const float* image = in + (n * shape.channels + c) * shape.rows * shape.cols;
    for (int r = 0; r < shape.side; ++r)
      for (int s = 0; s < shape.side; ++s) {
        const int tap = (c * shape.side + r) * shape.side + s;
        const int at_row = r * shape.dilation, at_col = s * shape.dilation;
        const float value = pixel(image, row0 + at_row, col0 + at_col, shape.rows, shape.cols);
        // TODO(1): add the product with the filter's element: from constant_filter if kFits, else from
        //          memory, where `first` is 0 (1 line).
      }
  }
  out[((n * shape.filters + first + f) * out_rows + y) * out_cols + x] = sum;
}

cudaError_t conv2d(float* out, const float* in, const float* filter, const ConvShape& shape) {
  const int out_rows = shape.out_rows(), out_cols = shape.out_cols();
  if (shape.batch == 0 || shape.filters == 0 || out_rows == 0 || out_cols == 0) return cudaSuccess;
  const unsigned tiles =
      (out_cols + kTileCols - 1) / kTileCols * ((out_rows + kTileRows - 1) / kTileRows) * shape.batch;
  const dim3 threads(kTileCols, kThreadRows);
  const int group = filters_at_once(shape);
  // TODO(2): where constant memory does not hold a single filter, launch the other version of the kernel for
  //          all filters. Otherwise go through the filters in groups, the last of which may be smaller: copy
  //          the group into constant_filter, where both lie on the device, and launch for it, `tiles` blocks
  //          for each of its filters (11 lines).
  return cudaGetLastError();
}
