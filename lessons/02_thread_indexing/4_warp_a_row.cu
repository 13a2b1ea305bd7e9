// Rung 4: the warp takes a row of the volume, whatever shape the block has.
#include "common/grid.h"
#include "thread_indexing.h"

constexpr int kWarp = 32;  // lanes of a warp
constexpr dim3 kBlock(8, 4, 8);
constexpr int kThreads = kBlock.x * kBlock.y * kBlock.z;
constexpr int kWarps = kThreads / kWarp;     // warps a block: 8
constexpr int kBlocksPerMultiprocessor = 8;  // 8 x 256 = 2048 threads, all that a multiprocessor holds

// out and in do not overlap, says the contract; __restrict__ says it to the compiler, which may then send off
// the loads of several rounds of a loop before the first store.
__global__ void level_kernel(int* __restrict__ out, const int* __restrict__ in, int nx, int ny,
                             std::int64_t rows, Tilt tilt) {
  int warp = 0;  // this thread's warp in its block
  // TODO(1): the hardware numbers the threads of a block x fastest, then y, then z, and every 32 of them
  //          are a warp. Find this thread's number, and from it its warp and its lane (3 lines).

  // A grid-stride loop as in rung 2, but of warps over rows: one division a row, not one a voxel.
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * kWarps;
  for (std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * kWarps + warp; row < rows; row += stride) {
    // TODO(2): find the row's y and z, and level it: lane 0 takes voxels 0, 32, 64, ... of it, lane 1 takes
    //          1, 33, 65, ... and so on. With #pragma unroll 8 before the loop over voxels, a lane has eight
    //          loads under way at a time (7 lines).
  }
}

cudaError_t level(int* out, const int* in, int nx, int ny, int nz, Tilt tilt) {
  if (nx == 0 || ny == 0 || nz == 0) return cudaSuccess;
  const std::int64_t rows = static_cast<std::int64_t>(ny) * nz;
  const unsigned blocks = ladder::grid_stride_blocks(rows, kWarps, kBlocksPerMultiprocessor);
  level_kernel<<<blocks, kBlock>>>(out, in, nx, ny, rows, tilt);
  return cudaGetLastError();
}
