// Rung 3: in a ring each device reads from one neighbour only, and no byte crosses a link that need not.
#include <algorithm>

#include "common/cuda_check.h"
#include "peers.h"
#include "two_gpus.h"

constexpr int kBlock = 256, kBlocks = 1024;

/// out = a + b, or a where there is no b.
__global__ void step_kernel(float* out, const float* a, const float* b, std::int64_t n) {
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * kBlock;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kBlock + threadIdx.x; i < n; i += stride)
    out[i] = b == nullptr ? a[i] : a[i] + b[i];
}

/// A part of the array, of which there are as many as ranks; it may be empty.
struct Part {
  std::int64_t first, count;
};

Part part_of(const Group& g, int number) {
  const std::int64_t length = (g.n + g.ranks - 1) / g.ranks;
  const std::int64_t first = std::min(g.n, (number % g.ranks + g.ranks) % g.ranks * length);
  return {first, std::min(length, g.n - first)};
}

/// No stream goes on before all of them have come here. The host does not wait.
void meet(const Group& g) {
  for (int r = 0; r < g.ranks; ++r) {
    CUDA_CHECK(cudaSetDevice(r));
    CUDA_CHECK(cudaEventRecord(g.mark[r], g.stream[r]));
  }
  for (int r = 0; r < g.ranks; ++r)
    for (int q = 0; q < g.ranks; ++q)
      if (q != r) CUDA_CHECK(cudaStreamWaitEvent(g.stream[r], g.mark[q]));
}

/// Puts a step over a part into rank r's stream.
void step(const Group& g, int r, Part part, const float* a, const float* b) {
  if (part.count == 0) return;
  const auto blocks =
      static_cast<unsigned>(std::min<std::int64_t>((part.count + kBlock - 1) / kBlock, kBlocks));
  CUDA_CHECK(cudaSetDevice(r));
  step_kernel<<<blocks, kBlock, 0, g.stream[r]>>>(g.out[r] + part.first, a + part.first,
                                                  b == nullptr ? nullptr : b + part.first, part.count);
}

cudaError_t all_reduce(Group& g) {
  if (g.n == 0) return cudaSuccess;
  meet(g);
  // TODO(1): reduce-scatter. In step s, of ranks - 1, rank r works at part r - s - 1: its own values plus
  //          what its left neighbour, rank r - 1, has there: of in[left] in step 0, of out[left] afterwards.
  //          Then all meet (7 lines).
  // TODO(2): all-gather. Rank r has the whole sum of part r + 1 now. In step s it copies part r - s from its
  //          left neighbour, and all meet (5 lines).
  return cudaGetLastError();
}

cudaError_t group_prepare(Group& g) {
  for (int r = 0; r < g.ranks; ++r) {
    CUDA_CHECK(cudaSetDevice(r));
    CUDA_CHECK(cudaEventCreateWithFlags(&g.mark[r], cudaEventDisableTiming));
    access_peer((r + g.ranks - 1) % g.ranks);
  }
  return cudaSuccess;
}

cudaError_t group_release(Group& g) {
  for (cudaEvent_t& mark : g.mark)
    if (mark != nullptr) CUDA_CHECK(cudaEventDestroy(mark)), mark = nullptr;
  return cudaSuccess;
}
