// Rung 3: in pieces, by calls that only put work into a stream. The host is free meanwhile; but one stream
// does one thing after the other.
#include <algorithm>

#include "spring.h"
#include "streams_and_overlap.h"

constexpr std::int64_t kPieces = 16;

cudaError_t springs_allocate(Springs& s, std::int64_t n) {
  s.n = n;
  CUDA_CHECK(cudaMallocHost(&s.in, n * sizeof(float)));
  CUDA_CHECK(cudaMallocHost(&s.out, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&s.d_in, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&s.d_out, n * sizeof(float)));
  CUDA_CHECK(cudaStreamCreate(&s.streams[0]));
  return cudaSuccess;
}

cudaError_t springs_run(Springs& s) {
  const std::int64_t piece = (s.n + kPieces - 1) / kPieces;  // rounded up: the last may be shorter
  for (std::int64_t first = 0; first < s.n; first += piece) {
    // TODO(1): how many springs this piece has; then copy in, work and copy out, all in s.streams[0], without
    //          waiting: cudaMemcpyAsync takes the stream last (4 lines).
  }
  // TODO(2): nothing has waited so far: wait for the stream, for the host reads out next (1 line).
  return cudaSuccess;
}

cudaError_t springs_free(Springs& s) {
  CUDA_CHECK(cudaStreamDestroy(s.streams[0]));
  CUDA_CHECK(cudaFreeHost(s.in));
  CUDA_CHECK(cudaFreeHost(s.out));
  CUDA_CHECK(cudaFree(s.d_in));
  CUDA_CHECK(cudaFree(s.d_out));
  s = {};
  return cudaSuccess;
}
