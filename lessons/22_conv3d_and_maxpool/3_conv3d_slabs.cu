// Rung 3: tiled in depth. A block walks through a slab of the volume, plane by plane, and what a plane adds
// to several planes of the result it adds while the plane is on the chip.
#include <cstddef>

#include "conv3d_and_maxpool.h"

constexpr int kCols = 32, kThreadRows = 4;                 // threads of a block: a warp a row
constexpr int kPixels = 4, kRows = kThreadRows * kPixels;  // of a plane of the result: 16 x 32 a block
constexpr int kFilters = 4;                                // and for so many filters
constexpr int kSlab = 8;                                   // and so many planes, one behind the other
constexpr int kThreads = kCols * kThreadRows;

/// Where a block's part of the result begins.
struct Corner {
  int x, y, z, f;
  std::size_t n;
  __device__ Corner(unsigned block, const Conv3dShape& shape) {
    const unsigned across = (shape.out_cols() + kCols - 1) / kCols,
                   down = (shape.out_rows() + kRows - 1) / kRows;
    const unsigned groups = (shape.filters + kFilters - 1) / kFilters;
    const unsigned slabs = (shape.out_depth() + kSlab - 1) / kSlab;
    x = block % across * kCols;
    y = block / across % down * kRows;
    z = block / across / down % slabs * kSlab;
    f = block / across / down / slabs % groups * kFilters;
    n = block / across / down / slabs / groups;
  }
};

template <int kSide>
__global__ void __launch_bounds__(kThreads)
    conv3d_kernel(float* out, const float* in, const float* filter, Conv3dShape shape) {
  constexpr int kTileRows = kRows + kSide - 1, kTileCols = kCols + kSide - 1;  // with the halo
  constexpr int kArea = kSide * kSide, kVolume = kArea * kSide;
  __shared__ float tile[kTileRows][kTileCols];                   // of one channel of one plane
  __shared__ alignas(16) float weights[kArea][kSide][kFilters];  // of the same channel
  const Corner corner(blockIdx.x, shape);
  const int row0 = corner.y - shape.padding, col0 = corner.x - shape.padding;
  const int thread = threadIdx.y * kCols + threadIdx.x;
  const int planes = min(kSlab, shape.out_depth() - corner.z);  // that this block stores

  // sum[t]: of the plane of the result to which the input's present plane contributes as depth t of the
  // filter.
  float sum[kSide][kPixels][kFilters] = {};
  for (int step = 0; step < planes + kSide - 1; ++step) {
    const int depth = corner.z + step - shape.padding;                            // the input's present plane
    const int channels = depth >= 0 && depth < shape.depth ? shape.channels : 0;  // padding adds nothing
    for (int c = 0; c < channels; ++c) {
      const std::size_t plane = (corner.n * shape.channels + c) * shape.depth + depth;
      const float* image = in + plane * shape.rows * shape.cols;
      for (int i = thread; i < kTileRows * kTileCols; i += kThreads) {
        const int row = row0 + i / kTileCols, col = col0 + i % kTileCols;
        const bool inside = row >= 0 && row < shape.rows && col >= 0 && col < shape.cols;
        tile[i / kTileCols][i % kTileCols] =
            inside ? image[static_cast<std::size_t>(row) * shape.cols + col] : 0;
      }
      for (int i = thread; i < kVolume * kFilters; i += kThreads) {
        const std::size_t f = min(corner.f + i / kVolume, shape.filters - 1);  // behind the last: not stored
        weights[i % kArea][i % kVolume / kArea][i / kVolume] =
            filter[(f * shape.channels + c) * kVolume + i % kVolume];
      }
      __syncthreads();  // tile and weights are there
      for (int r = 0; r < kSide; ++r)
#pragma unroll
        for (int s = 0; s < kSide; ++s) {
          float value[kPixels];
#pragma unroll
          for (int j = 0; j < kPixels; ++j)
            value[j] = tile[threadIdx.y + j * kThreadRows + r][threadIdx.x + s];
#pragma unroll
          for (int t = 0; t < kSide; ++t) {
            // TODO(1): add the products of each value and the filters' weights at depth t to sum[t]. As in
            //          rung 2, read the weights once and unroll the loops (6 lines).
          }
        }
      __syncthreads();  // all have read before anybody overwrites
    }
    // TODO(2): the plane of the result for which this was the last depth, kSide - 1, is complete: store it,
    //          for the filters, rows and columns that exist. The first kSide - 1 steps complete none (about
    //          12 lines).
    // TODO(3): for the next plane, depth t is where t - 1 was; a new sum begins at depth 0 (7 lines).
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
                          parts(shape.out_depth(), kSlab) * parts(shape.filters, kFilters) * shape.batch;
  if (blocks == 0) return cudaSuccess;
  launch<5>(blocks, out, in, filter, shape);
  return cudaGetLastError();
}
