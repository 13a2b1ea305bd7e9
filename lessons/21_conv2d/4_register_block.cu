// Rung 4: 8 filters x 4 elements a thread. Twelve factors read give thirty-two products.
#include "constant.h"
#include "conv2d.h"
#include "pixel.h"

constexpr int kFilters = 8, kPixels = 4;  // sums of a thread: of 8 filters, in 4 rows of the result
// Of a plane of the result, a block: a warp a row, kPixels elements a thread.
constexpr int kTileCols = 32, kThreadRows = 8, kTileRows = kThreadRows * kPixels;
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
  const int groups = (count + kFilters - 1) / kFilters;  // of filters, that blocks have
  const int x0 = blockIdx.x % across * kTileCols, y0 = blockIdx.x / across % down * kTileRows;
  const int f0 = blockIdx.x / across / down % groups * kFilters;  // this block's first filter
  const std::size_t n = blockIdx.x / across / down / groups;
  const int x = x0 + threadIdx.x, y = y0 + threadIdx.y;  // the thread's first element; the others lie below
  const int row0 = y * shape.stride - shape.padding;     // where the filter's corner lies in the image
  const int col0 = x * shape.stride - shape.padding;
  const int top = y0 * shape.stride - shape.padding;  // where the tile's corner lies in the image
  const int left = x0 * shape.stride - shape.padding;
  const int row = row0 - top, col = col0 - left;    // where the filter's corner lies in the tile
  const int row_step = kThreadRows * shape.stride;  // from there to where it lies for the next element

  const int taps = shape.channels * shape.side * shape.side;
  // TODO(1): where in constant_filter, or in filter, does each of the block's kFilters filters begin? Those
  //          behind the last of the count may read the last one's, for their sums are not stored (3 lines).
  float sum[kFilters][kPixels] = {};  // 32 registers
  for (int c = 0; c < shape.channels; ++c) {
    const float* image = in + (n * shape.channels + c) * shape.rows * shape.cols;
    if (kFits) {
      for (int i = threadIdx.y; i < tile_rows; i += kThreadRows)
        for (int j = threadIdx.x; j < tile_cols; j += kTileCols)
          tile[i * tile_cols + j] = pixel(image, top + i, left + j, shape.rows, shape.cols);
      __syncthreads();  // the tile is there before anybody reads it
    }
    for (int r = 0; r < shape.side; ++r)
      for (int s = 0; s < shape.side; ++s) {
        const int tap = (c * shape.side + r) * shape.side + s;
        const int at_row = r * shape.dilation, at_col = s * shape.dilation;
        float value[kPixels], weight[kFilters];
        // TODO(2): read the filters' elements once and the image's once, as rung 3 read one of each. The
        //          thread's elements are row_step apart (9 lines).
        // TODO(3): add all their products, with both loops unrolled (4 lines).
      }
    if (kFits) __syncthreads();  // all have read before anybody overwrites
  }
  // TODO(4): store the sums that belong to one of the count filters and lie within the result (8 lines).
}

cudaError_t conv2d(float* out, const float* in, const float* filter, const ConvShape& shape) {
  const int out_rows = shape.out_rows(), out_cols = shape.out_cols();
  if (shape.batch == 0 || shape.filters == 0 || out_rows == 0 || out_cols == 0) return cudaSuccess;
  const unsigned tiles =
      (out_cols + kTileCols - 1) / kTileCols * ((out_rows + kTileRows - 1) / kTileRows) * shape.batch;
  const auto blocks = [&](int count) { return (count + kFilters - 1) / kFilters * tiles; };
  const dim3 threads(kTileCols, kThreadRows);
  const std::size_t bytes =
      sizeof(float) * static_cast<std::size_t>(reach(shape, kTileRows)) * reach(shape, kTileCols);
  const int group = filters_at_once(shape);
  if (group == 0 || bytes > kShared) {  // not even one filter fits, or not the tile: all of it from memory
    conv2d_kernel<false><<<blocks(shape.filters), threads>>>(out, in, filter, shape, 0, shape.filters);
    return cudaGetLastError();
  }
  const std::size_t taps = static_cast<std::size_t>(shape.channels) * shape.side * shape.side;
  for (int first = 0; first < shape.filters; first += group) {
    const int count = std::min(group, shape.filters - first);
    cudaMemcpyToSymbolAsync(constant_filter, filter + first * taps, count * taps * sizeof(float), 0,
                            cudaMemcpyDeviceToDevice);
    conv2d_kernel<true><<<blocks(count), threads, bytes>>>(out, in, filter, shape, first, count);
  }
  return cudaGetLastError();
}
