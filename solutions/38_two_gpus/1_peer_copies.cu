// Rung 1: each device copies what the others have, and adds it up.
#include <algorithm>

#include "common/cuda_check.h"
#include "peers.h"
#include "two_gpus.h"

constexpr int kBlock = 256;

/// out = what is added, or out + that.
__global__ void add_kernel(float* out, const float* more, std::int64_t n, bool first) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kBlock + threadIdx.x;
  if (i < n) out[i] = first ? more[i] : out[i] + more[i];
}

/// No stream goes on before all of them have come here. The host does not wait.
void meet(const Group& g) {
  // TODO(1): an event of each rank, recorded in its stream; every other stream waits for it. Stream
  //          and event of a recording belong to the same device (5 lines).
  // BEGIN SOLUTION
  for (int r = 0; r < g.ranks; ++r) {
    CUDA_CHECK(cudaSetDevice(r));
    CUDA_CHECK(cudaEventRecord(g.mark[r], g.stream[r]));
  }
  for (int r = 0; r < g.ranks; ++r)
    for (int q = 0; q < g.ranks; ++q)
      if (q != r) CUDA_CHECK(cudaStreamWaitEvent(g.stream[r], g.mark[q]));
  // END SOLUTION
}

/// Puts rank r's sum into its stream.
void reduce(const Group& g, int r) {
  const std::size_t bytes = g.n * sizeof(float);
  const auto blocks = static_cast<unsigned>((g.n + kBlock - 1) / kBlock);
  CUDA_CHECK(cudaSetDevice(r));
  // TODO(2): add up all ranks' arrays in the order of their ranks, so that everybody has the same bits.
  //          Another device's is copied to g.scratch[r] first, by cudaMemcpyPeerAsync (7 lines).
  // BEGIN SOLUTION
  for (int q = 0; q < g.ranks; ++q) {
    const float* more = g.in[q];
    if (q != r) {  // the kernel before has read scratch when the copy begins: they are in one stream
      CUDA_CHECK(cudaMemcpyPeerAsync(g.scratch[r], r, g.in[q], q, bytes, g.stream[r]));
      more = g.scratch[r];
    }
    add_kernel<<<blocks, kBlock, 0, g.stream[r]>>>(g.out[r], more, g.n, q == 0);
  }
  // END SOLUTION
}

cudaError_t all_reduce(Group& g) {
  if (g.n == 0) return cudaSuccess;
  // TODO(3): when may a device read what another one has, and when may that be overwritten? Put meet() where
  //          it is needed, around the ranks' sums (4 lines).
  // BEGIN SOLUTION
  meet(g);  // in[q] is there
  for (int r = 0; r < g.ranks; ++r) reduce(g, r);
  meet(g);  // and everybody has read it: what comes next in stream q may overwrite it
  // END SOLUTION
  return cudaGetLastError();
}

cudaError_t group_prepare(Group& g) {
  for (int r = 0; r < g.ranks; ++r) {
    CUDA_CHECK(cudaSetDevice(r));
    for (int q = 0; q < g.ranks; ++q)
      if (q != r) access_peer(q);  // else copies go by the host's memory
    CUDA_CHECK(cudaMalloc(&g.scratch[r], g.n * sizeof(float)));
    CUDA_CHECK(cudaEventCreateWithFlags(&g.mark[r], cudaEventDisableTiming));
  }
  return cudaSuccess;
}

cudaError_t group_release(Group& g) {
  for (int r = 0; r < g.ranks; ++r) {
    CUDA_CHECK(cudaEventDestroy(g.mark[r]));
    CUDA_CHECK(cudaFree(g.scratch[r]));
    g.mark[r] = nullptr;
    g.scratch[r] = nullptr;
  }
  return cudaSuccess;
}
