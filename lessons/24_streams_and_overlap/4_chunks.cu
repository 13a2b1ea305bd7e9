// Rung 4: in chunks. One stream still does one thing after the other, and now there are more things.
#include <algorithm>

#include "spring.h"
#include "streams_and_overlap.h"

constexpr std::int64_t kChunks = 16;

/// Puts all chunks into a stream. Nothing waits.
void submit(const Springs& s) {
  const cudaStream_t stream = s.streams[0];
  // TODO(1): cut the n springs into kChunks chunks, and for each of them copy in, work and copy out, as in
  //          rung 3. n need not be divisible: how many springs has the last chunk, and is there always one (9
  //          lines)?
}

cudaError_t springs_allocate(Springs& s, std::int64_t n) {
  s.n = n;
  CUDA_CHECK(cudaMallocHost(&s.in, n * sizeof(float)));
  CUDA_CHECK(cudaMallocHost(&s.out, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&s.d_in, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&s.d_out, n * sizeof(float)));
  CUDA_CHECK(cudaStreamCreateWithFlags(&s.streams[0], cudaStreamNonBlocking));
  return cudaSuccess;
}

cudaError_t springs_run(Springs& s) {
  submit(s);
  CUDA_CHECK(cudaStreamSynchronize(s.streams[0]));
  return cudaSuccess;
}

cudaError_t springs_free(Springs& s) {
  if (s.streams[0] != nullptr) CUDA_CHECK(cudaStreamDestroy(s.streams[0]));
  CUDA_CHECK(cudaFreeHost(s.in));
  CUDA_CHECK(cudaFreeHost(s.out));
  CUDA_CHECK(cudaFree(s.d_in));
  CUDA_CHECK(cudaFree(s.d_out));
  s = {};
  return cudaSuccess;
}
