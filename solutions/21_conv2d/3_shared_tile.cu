// Rung 3: a tile of the image in shared memory, with a halo as wide as the filter reaches.
#include "constant.h"
#include "conv2d.h"
#include "pixel.h"

// Of a plane of the result, a block: a warp a row, one element a thread.
constexpr int kTileCols = 32, kThreadRows = 8, kTileRows = kThreadRows;
constexpr std::size_t kShared = 48 * 1024;  // bytes that a block has without asking for more

/// Rows or columns of the image that a tile of @p extent rows or columns of the result needs.
__host__ __device__ inline int reach(const ConvShape& shape, int extent) {
  return (extent - 1) * shape.stride + (shape.side - 1) * shape.dilation + 1;
}

/// For the filters from @p first on, @p count of them. Where kFits is false, nothing is kept on the chip.
template <bool kFits>
__global__ void conv2d_kernel(float* out, const float* in, const float* filter, ConvShape shape, int first,
                              int count) {
  extern __shared__ float tile[];  // [reach(kTileRows)][reach(kTileCols)]
  const int tile_rows = reach(shape, kTileRows), tile_cols = reach(shape, kTileCols);
  const int out_rows = shape.out_rows(), out_cols = shape.out_cols();
  const int across = (out_cols + kTileCols - 1) / kTileCols, down = (out_rows + kTileRows - 1) / kTileRows;
  const int x0 = blockIdx.x % across * kTileCols, y0 = blockIdx.x / across % down * kTileRows;
  const int f = blockIdx.x / across / down % count;  // among those that are in constant memory
  const std::size_t n = blockIdx.x / across / down / count;
  const int x = x0 + threadIdx.x, y = y0 + threadIdx.y;
  const int row0 = y * shape.stride - shape.padding;  // where the filter's corner lies in the image
  const int col0 = x * shape.stride - shape.padding;
  // TODO(1): where in the image does the tile's corner lie, (top, left), which is the filter's corner for the
  //          block's first element? And where in the tile, (row, col), does the filter's corner lie for this
  //          thread's element (3 lines)?
  // BEGIN SOLUTION
  const int top = y0 * shape.stride - shape.padding;  // where the tile's corner lies in the image
  const int left = x0 * shape.stride - shape.padding;
  const int row = row0 - top, col = col0 - left;  // where the filter's corner lies in the tile
  // END SOLUTION

  const int taps = shape.channels * shape.side * shape.side;
  const std::size_t weights = static_cast<std::size_t>(f) * taps;  // where the filter begins in its group
  float sum = 0;
  for (int c = 0; c < shape.channels; ++c) {
    const float* image = in + (n * shape.channels + c) * shape.rows * shape.cols;
    if (kFits) {
      // TODO(2): bring in the tile, all of it, with as many rounds as it takes; pixel() has the zeros of the
      //          padding. Let neighbouring threads read along a row. Which barrier is missing (4 lines)?
      // BEGIN SOLUTION
      for (int i = threadIdx.y; i < tile_rows; i += kThreadRows)
        for (int j = threadIdx.x; j < tile_cols; j += kTileCols)
          tile[i * tile_cols + j] = pixel(image, top + i, left + j, shape.rows, shape.cols);
      __syncthreads();  // the tile is there before anybody reads it
      // END SOLUTION
    }
    // TODO(3): add up this channel's products. The element of the image comes from the tile if kFits, else by
    //          pixel() as before, and the filter's as in rung 2. What has to happen before the next channel's
    //          tile overwrites this one (9 lines)?
    // BEGIN SOLUTION
    for (int r = 0; r < shape.side; ++r)
      for (int s = 0; s < shape.side; ++s) {
        const int tap = (c * shape.side + r) * shape.side + s;
        const int at_row = r * shape.dilation, at_col = s * shape.dilation;
        const float value = kFits ? tile[(row + at_row) * tile_cols + col + at_col]
                                  : pixel(image, row0 + at_row, col0 + at_col, shape.rows, shape.cols);
        sum += (kFits ? constant_filter[weights + tap] : filter[weights + tap]) * value;
      }
    if (kFits) __syncthreads();  // all have read before anybody overwrites
    // END SOLUTION
  }
  if (y >= out_rows || x >= out_cols) return;
  out[((n * shape.filters + first + f) * out_rows + y) * out_cols + x] = sum;
}

cudaError_t conv2d(float* out, const float* in, const float* filter, const ConvShape& shape) {
  const int out_rows = shape.out_rows(), out_cols = shape.out_cols();
  if (shape.batch == 0 || shape.filters == 0 || out_rows == 0 || out_cols == 0) return cudaSuccess;
  const unsigned tiles =
      (out_cols + kTileCols - 1) / kTileCols * ((out_rows + kTileRows - 1) / kTileRows) * shape.batch;
  const dim3 threads(kTileCols, kThreadRows);
  const std::size_t bytes =
      sizeof(float) * static_cast<std::size_t>(reach(shape, kTileRows)) * reach(shape, kTileCols);
  const int group = filters_at_once(shape);
  if (group == 0 || bytes > kShared) {  // not even one filter fits, or not the tile: all of it from memory
    conv2d_kernel<false><<<shape.filters * tiles, threads>>>(out, in, filter, shape, 0, shape.filters);
    return cudaGetLastError();
  }
  const std::size_t taps = static_cast<std::size_t>(shape.channels) * shape.side * shape.side;
  for (int first = 0; first < shape.filters; first += group) {
    const int count = std::min(group, shape.filters - first);
    cudaMemcpyToSymbolAsync(constant_filter, filter + first * taps, count * taps * sizeof(float), 0,
                            cudaMemcpyDeviceToDevice);
    conv2d_kernel<true><<<count * tiles, threads, bytes>>>(out, in, filter, shape, first, count);
  }
  return cudaGetLastError();
}
