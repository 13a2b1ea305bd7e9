// Rung 4: the warp takes a row of the volume, whatever shape the block has.
#include <cstdint>

#include "common/grid.h"
#include "thread_indexing.h"

constexpr int kWarp = 32;  // lanes of a warp
constexpr dim3 kBlock(8, 4, 8);
constexpr int kThreads = kBlock.x * kBlock.y * kBlock.z;
constexpr int kWarps = kThreads / kWarp;     // warps a block: 8
constexpr int kBlocksPerMultiprocessor = 8;  // 8 x 256 = 2048 threads, all that a multiprocessor holds

__global__ void level_kernel(int* out, const int* in, int nx, int ny, std::int64_t rows, Tilt tilt) {
  // TODO(1): the hardware numbers the threads of a block x fastest, then y, then z, and every 32 of them
  //          are a warp. Find this thread's number, and from it its warp and its lane (2 lines).
  // TODO(2): a grid-stride loop as in rung 2, but of warps over rows. Find the row's y and z, and level it:
  //          lane 0 takes voxels 0, 32, 64, ... of it, lane 1 takes 1, 33, 65, ... and so on (10 lines).
  // BEGIN SOLUTION
  const int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  const int warp = thread / kWarp, lane = thread % kWarp;

  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * kWarps;
  std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * kWarps + warp;
  for (; row < rows; row += stride) {  // one division a row, not one a voxel
    const int y = static_cast<int>(row % ny), z = static_cast<int>(row / ny);
    const int offset = tilt.y * y + tilt.z * z;  // the same for the whole row
    for (int x = lane; x < nx; x += kWarp) {
      const std::int64_t i = row * nx + x;
      out[i] = in[i] - (tilt.x * x + offset);
    }
  }
  // END SOLUTION
}

cudaError_t level(int* out, const int* in, int nx, int ny, int nz, Tilt tilt) {
  const std::int64_t n = static_cast<std::int64_t>(nx) * ny * nz;
  if (n == 0) return cudaSuccess;
  // TODO(3): a block takes kWarps rows at a time: launch as in rung 2, for rows (4 lines).
  // BEGIN SOLUTION
  const std::int64_t rows = n / nx;
  const unsigned blocks = ladder::grid_stride_blocks(rows, kWarps, kBlocksPerMultiprocessor);
  level_kernel<<<blocks, kBlock>>>(out, in, nx, ny, rows, tilt);
  return cudaGetLastError();
  // END SOLUTION
}
