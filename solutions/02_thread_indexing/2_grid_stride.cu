// Rung 2: a grid as large as the GPU, not as large as the volume; each thread goes on to its next voxel.
#include <cstdint>

#include "common/grid.h"
#include "thread_indexing.h"

constexpr int kBlock = 256;                  // threads a block: eight warps
constexpr int kBlocksPerMultiprocessor = 8;  // 8 x 256 = 2048 threads, all that a multiprocessor holds

__global__ void level_kernel(int* out, const int* in, int nx, int ny, std::int64_t n, Tilt tilt) {
  // TODO(1): let thread i of the grid level voxel i, and then, as long as there are any left, the voxel
  //          that lies as many places further on as the grid has threads (7 lines). Why not voxel i + 1?
  // BEGIN SOLUTION
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (; i < n; i += stride) {  // neighbours in a warp stay neighbours in every round
    const std::int64_t row = i / nx;
    const int x = static_cast<int>(i % nx), y = static_cast<int>(row % ny), z = static_cast<int>(row / ny);
    out[i] = in[i] - (tilt.x * x + tilt.y * y + tilt.z * z);
  }
  // END SOLUTION
}

cudaError_t level(int* out, const int* in, int nx, int ny, int nz, Tilt tilt) {
  const std::int64_t n = static_cast<std::int64_t>(nx) * ny * nz;
  if (n == 0) return cudaSuccess;
  // TODO(2): launch as many blocks as the GPU holds at a time, and no more than there is work for:
  //          ladder::grid_stride_blocks(n, threads, blocks of a multiprocessor) tells how many (3 lines).
  // BEGIN SOLUTION
  const unsigned blocks = ladder::grid_stride_blocks(n, kBlock, kBlocksPerMultiprocessor);
  level_kernel<<<blocks, kBlock>>>(out, in, nx, ny, n, tilt);
  return cudaGetLastError();
  // END SOLUTION
}
