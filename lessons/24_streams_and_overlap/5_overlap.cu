// Rung 5: the chunks take turns on three streams. While one is computed, the next comes and the last leaves.
#include <algorithm>

#include "spring.h"
#include "streams_and_overlap.h"

constexpr std::int64_t kChunks = 16;

/// Puts all chunks into the streams. Nothing waits.
void submit(const Springs& s) {
  const std::int64_t chunk = (s.n + kChunks - 1) / kChunks;  // rounded up: the last may be shorter
  for (std::int64_t first = 0; first < s.n; first += chunk) {
    // TODO(1): whose turn is it? Then as in rung 4, in that stream (5 lines).
  }
}

cudaError_t springs_allocate(Springs& s, std::int64_t n) {
  s.n = n;
  CUDA_CHECK(cudaMallocHost(&s.in, n * sizeof(float)));
  CUDA_CHECK(cudaMallocHost(&s.out, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&s.d_in, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&s.d_out, n * sizeof(float)));
  // TODO(2): create all of s.streams, as s.streams[0] was (2 lines).
  return cudaSuccess;
}

cudaError_t springs_run(Springs& s) {
  submit(s);
  // TODO(3): wait for all of the streams (1 line).
  return cudaSuccess;
}

cudaError_t springs_free(Springs& s) {
  for (cudaStream_t stream : s.streams)
    if (stream != nullptr) CUDA_CHECK(cudaStreamDestroy(stream));
  CUDA_CHECK(cudaFreeHost(s.in));
  CUDA_CHECK(cudaFreeHost(s.out));
  CUDA_CHECK(cudaFree(s.d_in));
  CUDA_CHECK(cudaFree(s.d_out));
  s = {};
  return cudaSuccess;
}
