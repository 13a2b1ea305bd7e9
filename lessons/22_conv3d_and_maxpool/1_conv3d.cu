// Rung 1: a thread for each element of the result. Every product's two factors come from memory.
#include <cstddef>

#include "conv3d_and_maxpool.h"

constexpr int kCols = 32, kThreadRows = 4;  // threads of a block: a warp a row
constexpr int kRows = kThreadRows;          // of a plane of the result: 4 x 32 a block

/// Where a block's part of the result begins.
struct Corner {
  int x, y, z, f;
  std::size_t n;
  __device__ Corner(unsigned block, const Conv3dShape& shape) {
    const unsigned across = (shape.out_cols() + kCols - 1) / kCols,
                   down = (shape.out_rows() + kRows - 1) / kRows;
    // TODO(1): take the block's number apart: `across` blocks lie side by side, `down` such rows of them one
    //          below the other; then come the planes of the result, then filters, then volumes (5 lines).
  }
};

__global__ void conv3d_kernel(float* out, const float* in, const float* filter, Conv3dShape shape) {
  const Corner corner(blockIdx.x, shape);
  const int x = corner.x + threadIdx.x, y = corner.y + threadIdx.y;
  if (x >= shape.out_cols() || y >= shape.out_rows()) return;
  const int row0 = y - shape.padding, col0 = x - shape.padding;

  float sum = 0;
  // TODO(2): add up the products over the filter's planes, all channels, and the filter's rows and columns,
  //          leaving out those whose element lies in the padding (about 16 lines).
  const std::size_t place = (corner.n * shape.filters + corner.f) * shape.out_depth() + corner.z;
  out[(place * shape.out_rows() + y) * shape.out_cols() + x] = sum;
}

cudaError_t conv3d(float* out, const float* in, const float* filter, const Conv3dShape& shape) {
  const auto parts = [](int extent, int each) { return static_cast<unsigned>((extent + each - 1) / each); };
  const unsigned blocks = parts(shape.out_cols(), kCols) * parts(shape.out_rows(), kRows) *
                          shape.out_depth() * shape.filters * shape.batch;
  if (blocks == 0) return cudaSuccess;
  conv3d_kernel<<<blocks, dim3(kCols, kThreadRows)>>>(out, in, filter, shape);
  return cudaGetLastError();
}
