// Rung 4: copy engines bring one chunk while multiprocessors add the one before it.
#include <algorithm>

#include "common/cuda_check.h"
#include "peers.h"
#include "two_gpus.h"

constexpr int kBlock = 256, kBlocks = 1024;

struct Inputs {
  const float* of[kMostRanks];
};

__global__ void sum_kernel(float* out, const __grid_constant__ Inputs in, int ranks, std::int64_t n) {
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * kBlock;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kBlock + threadIdx.x; i < n; i += stride) {
    float sum = in.of[0][i];
    for (int r = 1; r < ranks; ++r) sum += in.of[r][i];
    out[i] = sum;
  }
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

/// What the others have, chunk by chunk, into device r's scratch: rank q's array is at scratch + q * n.
void bring(const Group& g, int r, std::int64_t chunk) {
  CUDA_CHECK(cudaSetDevice(r));
  // TODO(1): the copies go into g.copies[r]. First that stream has to wait for all ranks' marks of meet(),
  //          its own among them. Then for each chunk: a copy from every other rank, and g.arrived[r][number]
  //          behind them (10 lines).
  // BEGIN SOLUTION
  for (int q = 0; q < g.ranks; ++q) CUDA_CHECK(cudaStreamWaitEvent(g.copies[r], g.mark[q]));
  for (std::int64_t first = 0; first < g.n; first += chunk) {
    const std::size_t bytes = std::min(chunk, g.n - first) * sizeof(float);
    for (int q = 0; q < g.ranks; ++q)
      if (q != r)
        CUDA_CHECK(
            cudaMemcpyPeerAsync(g.scratch[r] + q * g.n + first, r, g.in[q] + first, q, bytes, g.copies[r]));
    CUDA_CHECK(cudaEventRecord(g.arrived[r][first / chunk], g.copies[r]));
  }
  // END SOLUTION
}

/// The sums, each as soon as its chunk is there.
void add(const Group& g, int r, std::int64_t chunk) {
  CUDA_CHECK(cudaSetDevice(r));
  // TODO(2): for each chunk g.stream[r] waits for it, and adds it up: by sum_kernel, whose Inputs are the
  //          chunk in in[r] and those in scratch (9 lines).
  // BEGIN SOLUTION
  for (std::int64_t first = 0; first < g.n; first += chunk) {
    const std::int64_t count = std::min(chunk, g.n - first);
    Inputs in;
    for (int q = 0; q < g.ranks; ++q) in.of[q] = (q == r ? g.in[r] : g.scratch[r] + q * g.n) + first;
    const auto blocks = static_cast<unsigned>(std::min<std::int64_t>((count + kBlock - 1) / kBlock, kBlocks));
    CUDA_CHECK(cudaStreamWaitEvent(g.stream[r], g.arrived[r][first / chunk]));
    sum_kernel<<<blocks, kBlock, 0, g.stream[r]>>>(g.out[r] + first, in, g.ranks, count);
  }
  // END SOLUTION
}

cudaError_t all_reduce(Group& g) {
  if (g.n == 0) return cudaSuccess;
  const std::int64_t chunk = (g.n + kChunks - 1) / kChunks;
  meet(g);
  for (int r = 0; r < g.ranks; ++r) bring(g, r, chunk);
  for (int r = 0; r < g.ranks; ++r) add(g, r, chunk);
  meet(g);  // g.stream[r] has waited for all chunks, so that the copies, too, have been made
  return cudaGetLastError();
}

cudaError_t group_prepare(Group& g) {
  for (int r = 0; r < g.ranks; ++r) {
    CUDA_CHECK(cudaSetDevice(r));
    for (int q = 0; q < g.ranks; ++q)
      if (q != r) access_peer(q);  // else copies go by the host's memory
    CUDA_CHECK(cudaMalloc(&g.scratch[r], g.ranks * g.n * sizeof(float)));
    CUDA_CHECK(cudaStreamCreateWithFlags(&g.copies[r], cudaStreamNonBlocking));
    CUDA_CHECK(cudaEventCreateWithFlags(&g.mark[r], cudaEventDisableTiming));
    for (cudaEvent_t& event : g.arrived[r])
      CUDA_CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  }
  return cudaSuccess;
}

cudaError_t group_release(Group& g) {
  for (int r = 0; r < g.ranks; ++r) {
    CUDA_CHECK(cudaFree(g.scratch[r]));
    CUDA_CHECK(cudaStreamDestroy(g.copies[r]));
    CUDA_CHECK(cudaEventDestroy(g.mark[r]));
    for (cudaEvent_t& event : g.arrived[r]) CUDA_CHECK(cudaEventDestroy(event)), event = nullptr;
    g.scratch[r] = nullptr;
    g.copies[r] = nullptr;
    g.mark[r] = nullptr;
  }
  return cudaSuccess;
}
