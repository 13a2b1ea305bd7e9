// Rung 2: what lesson 21 did in its rungs 3 and 4, with a third axis: the tile of a plane on the chip, and 16
// sums a thread.
#include <cstddef>

#include "conv3d_and_maxpool.h"

constexpr int kCols = 32, kThreadRows = 4;                 // threads of a block: a warp a row
constexpr int kPixels = 4, kRows = kThreadRows * kPixels;  // of a plane of the result: 16 x 32 a block
constexpr int kFilters = 4;                                // and for so many filters
constexpr int kThreads = kCols * kThreadRows;

/// Where a block's part of the result begins.
struct Corner {
  int x, y, z, f;
  std::size_t n;
  __device__ Corner(unsigned block, const Conv3dShape& shape) {
    const unsigned across = (shape.out_cols() + kCols - 1) / kCols,
                   down = (shape.out_rows() + kRows - 1) / kRows;
    const unsigned groups = (shape.filters + kFilters - 1) / kFilters;
    x = block % across * kCols;
    y = block / across % down * kRows;
    z = block / across / down % shape.out_depth();
    f = block / across / down / shape.out_depth() % groups * kFilters;
    n = block / across / down / shape.out_depth() / groups;
  }
};

template <int kSide>
__global__ void __launch_bounds__(kThreads)
    conv3d_kernel(float* out, const float* in, const float* filter, Conv3dShape shape) {
  constexpr int kTileRows = kRows + kSide - 1, kTileCols = kCols + kSide - 1;  // with the halo
  constexpr int kArea = kSide * kSide;
  __shared__ float tile[kTileRows][kTileCols];            // of one channel of one plane
  __shared__ alignas(16) float weights[kArea][kFilters];  // of the same channel, and one depth of the filter
  const Corner corner(blockIdx.x, shape);
  const int row0 = corner.y - shape.padding, col0 = corner.x - shape.padding;
  const int thread = threadIdx.y * kCols + threadIdx.x;

  float sum[kPixels][kFilters] = {};
  for (int t = 0; t < kSide; ++t) {
    const int depth = corner.z + t - shape.padding;
    const int channels = depth >= 0 && depth < shape.depth ? shape.channels : 0;  // padding adds nothing
    for (int c = 0; c < channels; ++c) {
      const std::size_t plane = (corner.n * shape.channels + c) * shape.depth + depth;
      const float* image = in + plane * shape.rows * shape.cols;
      // TODO(1): bring in this plane's tile with its halo, where what lies outside of the plane is 0; and
      //          weights[rs][i], which is tap rs, at depth t and in channel c, of filter corner.f + i; where
      //          there is no such filter, some other one's, for its sums are not stored. When may somebody
      //          read them (11 lines)?
      // TODO(2): for each tap of this depth: read the thread's kPixels elements of the tile, kThreadRows
      //          apart, once, and the filters' weights, four by one access; multiply each with each, into
      //          sum, loops unrolled. The next channel overwrites tile and weights (15 lines).
    }
  }
  const int z = corner.z, x = corner.x + threadIdx.x;
  if (x < shape.out_cols()) {
#pragma unroll
    for (int i = 0; i < kFilters; ++i)
#pragma unroll
      for (int j = 0; j < kPixels; ++j) {
        const int y = corner.y + threadIdx.y + j * kThreadRows, f = corner.f + i;
        const std::size_t place = (corner.n * shape.filters + f) * shape.out_depth() + z;
        if (f < shape.filters && y < shape.out_rows())
          out[(place * shape.out_rows() + y) * shape.out_cols() + x] = sum[j][i];
      }
  }
}

/// Launches the kernel that was compiled for this side: loops unroll, and its arrays are registers.
template <int kSide>
void launch(unsigned blocks, float* out, const float* in, const float* filter, const Conv3dShape& shape) {
  if (shape.side == kSide)
    conv3d_kernel<kSide><<<blocks, dim3(kCols, kThreadRows)>>>(out, in, filter, shape);
  else if constexpr (kSide > 1)
    launch<kSide - 1>(blocks, out, in, filter, shape);
}

cudaError_t conv3d(float* out, const float* in, const float* filter, const Conv3dShape& shape) {
  const auto parts = [](int extent, int each) { return static_cast<unsigned>((extent + each - 1) / each); };
  const unsigned blocks = parts(shape.out_cols(), kCols) * parts(shape.out_rows(), kRows) *
                          shape.out_depth() * parts(shape.filters, kFilters) * shape.batch;
  if (blocks == 0) return cudaSuccess;
  launch<5>(blocks, out, in, filter, shape);
  return cudaGetLastError();
}
