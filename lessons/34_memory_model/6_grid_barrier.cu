// Rung 6: all rounds in one launch: a barrier for all blocks of the grid, from an atomic counter and an
// epoch.
#include <algorithm>

#include "atomics.h"
#include "memory_model.h"

constexpr int kBlock = 256;

/// Waits for all threads of the grid: behind it they see what all have stored before it.
__device__ void grid_barrier(Barrier* barrier) {
  // TODO(1): a barrier of the block; thread 0 looks which epoch it is, and counts its block in by an addition
  //          that acquires and releases. If all blocks are there, it sets the count back to 0 and then begins
  //          the next epoch, by a store that releases; or else it waits until the epoch is another one, by
  //          loads that acquire. A barrier of the block (11 lines).
}

__global__ void smooth_kernel(unsigned* out, unsigned* work, Barrier* barrier, const unsigned* in, int n,
                              int rounds) {
  for (int round = 0; round < rounds; ++round) {
    const unsigned* from = round == 0 ? in : work + static_cast<std::size_t>(round % 2) * n;
    unsigned* to = round == rounds - 1 ? out : work + static_cast<std::size_t>((round + 1) % 2) * n;
    const int all = static_cast<int>(gridDim.x) * kBlock;
    for (int i = static_cast<int>(blockIdx.x) * kBlock + static_cast<int>(threadIdx.x); i < n; i += all)
      to[i] = 2 * from[i] + (i > 0 ? from[i - 1] : 0) + (i < n - 1 ? from[i + 1] : 0);
    if (round < rounds - 1) grid_barrier(barrier);
  }
}

cudaError_t smooth(unsigned* out, unsigned* work, Barrier* barrier, const unsigned* in, int n, int rounds) {
  if (n == 0) return cudaSuccess;
  // As many blocks as run at once, all of them.
  int device = 0, multiprocessors = 0, each = 0;
  cudaError_t error = cudaGetDevice(&device);
  if (error == cudaSuccess)
    error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  if (error == cudaSuccess)
    error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, smooth_kernel, kBlock, 0);
  if (error != cudaSuccess) return error;
  const int blocks = std::min((n + kBlock - 1) / kBlock, multiprocessors * each);
  // TODO(2): an ordinary launch promises nothing: another kernel may hold the places of some blocks.
  //          cudaLaunchCooperativeKernel() promises that all run at once, or fails. It takes the kernel as a
  //          const void*, the grid and the block as dim3, an array of pointers to the arguments, bytes of
  //          shared memory and the stream, both 0 here (3 lines).
  return error;
}
