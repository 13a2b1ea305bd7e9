// How many blocks a grid-stride kernel is launched with.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace ladder {

/// So many blocks for each multiprocessor of the current GPU, but none that would find no work, and at least
/// one.
///
/// @param n                   items, one a thread in the first stride
/// @param threads             threads a block
/// @param per_multiprocessor  blocks for each multiprocessor, which has room for 1024 to 2048 threads at once
/// @return blocks, >= 1; also when there is no GPU to ask, for then the launch itself will tell
inline unsigned grid_stride_blocks(std::int64_t n, int threads, int per_multiprocessor) {
  int device = 0, multiprocessors = 1;
  if (cudaGetDevice(&device) == cudaSuccess)
    cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  const std::int64_t most = std::int64_t{multiprocessors} * per_multiprocessor;
  // Without std::min and std::max: their header is a third of a rung's compilation.
  const std::int64_t enough = (n + threads - 1) / threads, wanted = enough < most ? enough : most;
  return static_cast<unsigned>(wanted > 1 ? wanted : 1);
}

}  // namespace ladder
