// Rung 1: one voxel a thread; the thread's number becomes the voxel's coordinates.
#include <cstdint>

#include "thread_indexing.h"

constexpr int kBlock = 256;  // threads a block: eight warps

__global__ void level_kernel(int* out, const int* in, int nx, int ny, std::int64_t n, Tilt tilt) {
  // TODO(1): number all threads of the grid from 0 on, block after block, and give thread i voxel i.
  //          The last block may have threads to spare: they do nothing. In memory x runs fastest, then
  //          y, then z: find the three coordinates of voxel i, and level it (5 lines).
  //          n may exceed what an int holds: use std::int64_t.
}

cudaError_t level(int* out, const int* in, int nx, int ny, int nz, Tilt tilt) {
  const std::int64_t n = static_cast<std::int64_t>(nx) * ny * nz;
  if (n == 0) return cudaSuccess;  // a grid of no blocks would be a launch error
  // TODO(2): launch enough blocks of kBlock threads for n voxels, and return what the launch says (3 lines).
}
