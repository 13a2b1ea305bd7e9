// Rung 3: blocks and a grid of three dimensions: the coordinates come without a division.
#include <algorithm>
#include <cstdint>

#include "thread_indexing.h"

constexpr int kBlockX = 32;  // a warp is 32 threads along x: one piece of a row
constexpr int kBlockY = 2;
constexpr int kBlockZ = 2;
constexpr unsigned kMaxGridYZ = 65'535;  // blocks a grid has in y, or in z, at most; in x it is 2^31 - 1

__global__ void level_kernel(int* out, const int* in, int nx, int ny, int nz, Tilt tilt) {
  int x = 0, y0 = 0, z0 = 0;  // this thread's first voxel
  // TODO(1): find the three from blockIdx, blockDim and threadIdx (3 lines).
  if (x >= nx) return;

  // TODO(2): the grid may be too small in y and z, see below: two loops, each with a stride of the grid's
  //          extent in voxels. Where in memory is voxel (x, y, z)? Multiply in std::int64_t; level it
  //          (6 lines).
}

cudaError_t level(int* out, const int* in, int nx, int ny, int nz, Tilt tilt) {
  const std::int64_t n = static_cast<std::int64_t>(nx) * ny * nz;
  if (n == 0) return cudaSuccess;
  dim3 grid(1, 1, 1);
  // TODO(3): enough blocks along each axis, rounded up; in y and in z no more than a grid can have, for what
  //          is left over is done by the loops in the kernel (5 lines).
  level_kernel<<<grid, dim3(kBlockX, kBlockY, kBlockZ)>>>(out, in, nx, ny, nz, tilt);
  return cudaGetLastError();
}
