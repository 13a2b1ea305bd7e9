// Rung 2: kernels read the other devices' memory themselves; nothing is copied before it is added.
#include <algorithm>

#include "common/cuda_check.h"
#include "peers.h"
#include "two_gpus.h"

constexpr int kBlock = 256, kBlocks = 1024;

/// The arrays of all ranks, by value: host memory is no kernel's business.
struct Inputs {
  const float* of[kMostRanks];
};

__global__ void sum_kernel(float* out, const __grid_constant__ Inputs in, int ranks, std::int64_t n) {
  // TODO(1): a grid-stride loop; each element of out is the sum over the ranks, in their order (6 lines).
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

cudaError_t all_reduce(Group& g) {
  if (g.n == 0) return cudaSuccess;
  Inputs in;
  std::copy_n(g.in, g.ranks, in.of);
  const auto blocks = static_cast<unsigned>(std::min<std::int64_t>((g.n + kBlock - 1) / kBlock, kBlocks));
  meet(g);
  // TODO(2): one launch for each rank, on its device and in its stream (4 lines).
  meet(g);
  return cudaGetLastError();
}

cudaError_t group_prepare(Group& g) {
  for (int r = 0; r < g.ranks; ++r) {
    CUDA_CHECK(cudaSetDevice(r));
    CUDA_CHECK(cudaEventCreateWithFlags(&g.mark[r], cudaEventDisableTiming));
    // TODO(3): let kernels of device r access every other device's memory, by access_peer() of peers.h
    //          (2 lines).
  }
  return cudaSuccess;
}

cudaError_t group_release(Group& g) {
  for (cudaEvent_t& mark : g.mark)
    if (mark != nullptr) CUDA_CHECK(cudaEventDestroy(mark)), mark = nullptr;
  return cudaSuccess;
}
