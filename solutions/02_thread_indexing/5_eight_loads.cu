// Rung 5: eight loads under way: no load waits for the store of the voxel before.
#include <cstdint>

#include "common/grid.h"
#include "thread_indexing.h"

constexpr int kWarp = 32;  // lanes of a warp
constexpr dim3 kBlock(8, 4, 8);
constexpr int kThreads = kBlock.x * kBlock.y * kBlock.z;
constexpr int kWarps = kThreads / kWarp;     // warps a block: 8
constexpr int kBlocksPerMultiprocessor = 8;  // 8 x 256 = 2048 threads, all that a multiprocessor holds

// TODO(1): rung 4's kernel, level_kernel(out, in, nx, ny, rows, tilt). out and in do not overlap, says the
//          contract: say it to the compiler by __restrict__, so that it may send off the loads of several
//          rounds of a loop before the first store. Unroll the loop over the row eight times (17 lines).
// BEGIN SOLUTION
__global__ void level_kernel(int* __restrict__ out, const int* __restrict__ in, int nx, int ny,
                             std::int64_t rows, Tilt tilt) {
  const int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  const int warp = thread / kWarp, lane = thread % kWarp;

  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * kWarps;
  std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * kWarps + warp;
  for (; row < rows; row += stride) {  // one division a row, not one a voxel
    const int y = static_cast<int>(row % ny), z = static_cast<int>(row / ny);
    const int offset = tilt.y * y + tilt.z * z;  // the same for the whole row
#pragma unroll 8
    for (int x = lane; x < nx; x += kWarp) {
      const std::int64_t i = row * nx + x;
      out[i] = in[i] - (tilt.x * x + offset);
    }
  }
}
// END SOLUTION

cudaError_t level(int* out, const int* in, int nx, int ny, int nz, Tilt tilt) {
  const std::int64_t n = static_cast<std::int64_t>(nx) * ny * nz;
  if (n == 0) return cudaSuccess;
  // TODO(2): launch it as in rung 4 (4 lines).
  // BEGIN SOLUTION
  const std::int64_t rows = n / nx;
  const unsigned blocks = ladder::grid_stride_blocks(rows, kWarps, kBlocksPerMultiprocessor);
  level_kernel<<<blocks, kBlock>>>(out, in, nx, ny, rows, tilt);
  return cudaGetLastError();
  // END SOLUTION
}
