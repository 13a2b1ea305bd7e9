// Rung 7: the barrier of cooperative groups, with two words less to look after.
#include <cooperative_groups.h>

#include <algorithm>

#include "memory_model.h"

constexpr int kBlock = 256;

__global__ void smooth_kernel(unsigned* out, unsigned* work, const unsigned* in, int n, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    const unsigned* from = round == 0 ? in : work + static_cast<std::size_t>(round % 2) * n;
    unsigned* to = round == rounds - 1 ? out : work + static_cast<std::size_t>((round + 1) % 2) * n;
    const int all = static_cast<int>(gridDim.x) * kBlock;
    for (int i = static_cast<int>(blockIdx.x) * kBlock + static_cast<int>(threadIdx.x); i < n; i += all)
      to[i] = 2 * from[i] + (i > 0 ? from[i - 1] : 0) + (i < n - 1 ? from[i + 1] : 0);
    // TODO(1): a barrier for the grid, sync() of cooperative_groups::this_grid(), as in rung 6 (1 line).
    // BEGIN SOLUTION
    if (round < rounds - 1) cooperative_groups::this_grid().sync();
    // END SOLUTION
  }
}

cudaError_t smooth(unsigned* out, unsigned* work, Barrier*, const unsigned* in, int n, int rounds) {
  if (n == 0) return cudaSuccess;
  int device = 0, multiprocessors = 0, each = 0;
  cudaError_t error = cudaGetDevice(&device);
  if (error == cudaSuccess)
    error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  if (error == cudaSuccess)
    error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, smooth_kernel, kBlock, 0);
  if (error != cudaSuccess) return error;
  const int blocks = std::min((n + kBlock - 1) / kBlock, multiprocessors * each);
  void* arguments[] = {&out, &work, &in, &n, &rounds};
  return cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(smooth_kernel), dim3(blocks), dim3(kBlock),
                                     arguments, 0, nullptr);
}
