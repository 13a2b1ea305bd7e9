// Blank page: a layer whose weights are split over GPUs, its sums on their way while its products are made.
#include <algorithm>

#include "blank_page.h"
#include "partial_product.h"
#include "peers.h"

// TODO(1): layer_prepare(), layer_run() and layer_release(), whose contract is in blank_page.h. Which rows
//          may be on the link while which are computed, and who waits for whom?
// BEGIN SOLUTION
namespace {

constexpr int kBlock = 256;

struct Partials {
  const float* of[kMostRanks];
};

__global__ void sum_kernel(float* y, const __grid_constant__ Partials p, int ranks, std::int64_t n) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kBlock + threadIdx.x;
  if (i >= n) return;
  float sum = p.of[0][i];
  for (int r = 1; r < ranks; ++r) sum += p.of[r][i];
  y[i] = sum;
}

}  // namespace

cudaError_t layer_prepare(Layer& layer) {
  for (int r = 0; r < layer.ranks; ++r) {
    CUDA_CHECK(cudaSetDevice(r));
    for (int q = 0; q < layer.ranks; ++q)
      if (q != r) access_peer(q);  // else copies go by the host's memory
    CUDA_CHECK(cudaMalloc(&layer.scratch[r], layer.ranks * layer.rows * layer.cols * sizeof(float)));
    CUDA_CHECK(cudaStreamCreateWithFlags(&layer.side[r], cudaStreamNonBlocking));
    CUDA_CHECK(cudaEventCreateWithFlags(&layer.done[r], cudaEventDisableTiming));
    for (cudaEvent_t& event : layer.made[r])
      CUDA_CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  }
  return cudaSuccess;
}

cudaError_t layer_run(Layer& layer) {
  const std::int64_t all = layer.rows * layer.cols, rows = (layer.rows + kChunks - 1) / kChunks;
  for (std::int64_t row = 0; row < layer.rows; row += rows) {
    const std::int64_t count = std::min(rows, layer.rows - row), first = row * layer.cols,
                       n = count * layer.cols;
    const auto number = row / rows;
    for (int r = 0; r < layer.ranks; ++r) {
      CUDA_CHECK(cudaSetDevice(r));
      launch_partial(layer.partial[r] + first, layer.x[r] + row * layer.inner, layer.w[r], count, layer.cols,
                     layer.inner, layer.stream[r]);
      CUDA_CHECK(cudaEventRecord(layer.made[r][number], layer.stream[r]));
    }
    for (int r = 0; r < layer.ranks; ++r) {  // the side stream's work takes no multiprocessor until it adds
      CUDA_CHECK(cudaSetDevice(r));
      Partials p;
      for (int q = 0; q < layer.ranks; ++q) {
        CUDA_CHECK(cudaStreamWaitEvent(layer.side[r], layer.made[q][number]));
        p.of[q] = layer.partial[r] + first;
        if (q == r) continue;
        float* const room = layer.scratch[r] + q * all + first;
        CUDA_CHECK(
            cudaMemcpyPeerAsync(room, r, layer.partial[q] + first, q, n * sizeof(float), layer.side[r]));
        p.of[q] = room;
      }
      sum_kernel<<<static_cast<unsigned>((n + kBlock - 1) / kBlock), kBlock, 0, layer.side[r]>>>(
          layer.y[r] + first, p, layer.ranks, n);
    }
  }
  for (int r = 0; r < layer.ranks; ++r) {
    CUDA_CHECK(cudaSetDevice(r));
    CUDA_CHECK(cudaEventRecord(layer.done[r], layer.side[r]));
  }
  for (int r = 0; r < layer.ranks; ++r)  // y is whole, and nobody copies partial any more
    for (int q = 0; q < layer.ranks; ++q) CUDA_CHECK(cudaStreamWaitEvent(layer.stream[r], layer.done[q]));
  return cudaGetLastError();
}

cudaError_t layer_release(Layer& layer) {
  for (int r = 0; r < layer.ranks; ++r) {
    CUDA_CHECK(cudaFree(layer.scratch[r]));
    CUDA_CHECK(cudaStreamDestroy(layer.side[r]));
    CUDA_CHECK(cudaEventDestroy(layer.done[r]));
    for (cudaEvent_t& event : layer.made[r]) CUDA_CHECK(cudaEventDestroy(event)), event = nullptr;
    layer.scratch[r] = nullptr;
    layer.side[r] = nullptr;
    layer.done[r] = nullptr;
  }
  return cudaSuccess;
}
// END SOLUTION
