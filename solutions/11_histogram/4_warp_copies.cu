// Rung 4: each warp counts into a copy of its own, so that warps do not meet at a counter.
#include "common/grid.h"
#include "histogram.h"

constexpr int kWarp = 32;                    // lanes of a warp
constexpr int kWarps = 16;                   // warps a block
constexpr int kBlock = kWarps * kWarp;       // 512 threads
constexpr int kBlocksPerMultiprocessor = 4;  // 4 x 512 = 2048 threads, all that a multiprocessor holds

__global__ void histogram_kernel(unsigned* bins, const unsigned char* data, std::int64_t n) {
  __shared__ unsigned copies[kWarps][kBins];  // 16 KiB
  unsigned* const all = &copies[0][0];
  for (unsigned k = threadIdx.x; k < kWarps * kBins; k += blockDim.x) all[k] = 0;
  __syncthreads();  // all of it is 0 before anybody counts

  const std::int64_t threads = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (std::int64_t i = thread; i < n; i += threads) {
    // TODO(1): count data[i] as in rung 3, but in the copy of this thread's warp (1 line). May you leave out
    //          the atomic addition, now that no other warp counts there?
    // BEGIN SOLUTION
    atomicAdd(&copies[threadIdx.x / kWarp][data[i]], 1u);  // no: two lanes may have the same value
    // END SOLUTION
  }

  __syncthreads();  // all have counted
  for (unsigned v = threadIdx.x; v < kBins; v += blockDim.x) {
    unsigned sum = 0;
    // TODO(2): add up what all warps have counted for this value (1 line).
    // BEGIN SOLUTION
    for (int warp = 0; warp < kWarps; ++warp) sum += copies[warp][v];
    // END SOLUTION
    atomicAdd(&bins[v], sum);
  }
}

cudaError_t histogram(unsigned* bins, const unsigned char* data, std::int64_t n) {
  const cudaError_t error = cudaMemsetAsync(bins, 0, kBins * sizeof(*bins));
  if (error != cudaSuccess || n == 0) return error;
  const unsigned blocks = ladder::grid_stride_blocks(n, kBlock, kBlocksPerMultiprocessor);
  histogram_kernel<<<blocks, kBlock>>>(bins, data, n);
  return cudaGetLastError();
}
