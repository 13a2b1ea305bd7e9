// Rung 4: each warp counts into a copy of its own, so that warps do not meet at a counter.
#include "common/grid.h"
#include "histogram.h"

constexpr int kWarp = 32;                    // lanes of a warp
constexpr int kWarps = 16;                   // warps a block
constexpr int kBlock = kWarps * kWarp;       // 512 threads
constexpr int kBlocksPerMultiprocessor = 4;  // 4 x 512 = 2048 threads, all that a multiprocessor holds

__global__ void histogram_kernel(unsigned* bins, const unsigned char* data, std::int64_t n) {
  // TODO(1): a copy for each warp, all of them 0 before anybody counts (4 lines). The threads of the block
  //          share kWarps * kBins counters between them.

  const std::int64_t threads = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  // TODO(2): count as in rung 3, but in the copy of this thread's warp (2 or 3 lines). May you leave out the
  //          atomic addition, now that no other warp counts there?

  // TODO(3): when all have counted, add up what all warps have counted for each value, and add that to bins
  //          (6 lines).
}

cudaError_t histogram(unsigned* bins, const unsigned char* data, std::int64_t n) {
  const cudaError_t error = cudaMemsetAsync(bins, 0, kBins * sizeof(*bins));
  if (error != cudaSuccess || n == 0) return error;
  const unsigned blocks = ladder::grid_stride_blocks(n, kBlock, kBlocksPerMultiprocessor);
  histogram_kernel<<<blocks, kBlock>>>(bins, data, n);
  return cudaGetLastError();
}
