// Rung 5: the chunks take turns on three streams. While one is computed, the next comes and the last leaves.
#include <algorithm>

#include "spring.h"
#include "streams_and_overlap.h"

constexpr std::int64_t kChunks = 16;

/// Puts all chunks into the streams. Nothing waits.
void submit(const Springs& s) {
  // TODO(1): as in rung 4, but each chunk in another stream than the one before: whose turn is it (10 lines)?
  // BEGIN SOLUTION
  const std::int64_t chunk = (s.n + kChunks - 1) / kChunks;  // rounded up: the last may be shorter
  for (std::int64_t first = 0; first < s.n; first += chunk) {
    const cudaStream_t stream = s.streams[first / chunk % kStreams];
    const std::int64_t count = std::min(chunk, s.n - first);
    CUDA_CHECK(
        cudaMemcpyAsync(s.d_in + first, s.in + first, count * sizeof(float), cudaMemcpyHostToDevice, stream));
    launch_springs(s.d_out + first, s.d_in + first, count, stream);
    CUDA_CHECK(cudaMemcpyAsync(s.out + first, s.d_out + first, count * sizeof(float), cudaMemcpyDeviceToHost,
                               stream));
  }
  // END SOLUTION
}

cudaError_t springs_allocate(Springs& s, std::int64_t n) {
  s.n = n;
  CUDA_CHECK(cudaMallocHost(&s.in, n * sizeof(float)));
  CUDA_CHECK(cudaMallocHost(&s.out, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&s.d_in, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&s.d_out, n * sizeof(float)));
  // TODO(2): create all of s.streams, as s.streams[0] was (2 lines).
  // BEGIN SOLUTION
  for (cudaStream_t& stream : s.streams)
    CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  // END SOLUTION
  return cudaSuccess;
}

cudaError_t springs_run(Springs& s) {
  submit(s);
  // TODO(3): wait for all of the streams (1 line).
  // BEGIN SOLUTION
  for (cudaStream_t stream : s.streams) CUDA_CHECK(cudaStreamSynchronize(stream));
  // END SOLUTION
  return cudaSuccess;
}

cudaError_t springs_free(Springs& s) {
  // TODO(4): and destroy them, those that there are (2 lines).
  // BEGIN SOLUTION
  for (cudaStream_t stream : s.streams)
    if (stream != nullptr) CUDA_CHECK(cudaStreamDestroy(stream));
  // END SOLUTION
  CUDA_CHECK(cudaFreeHost(s.in));
  CUDA_CHECK(cudaFreeHost(s.out));
  CUDA_CHECK(cudaFree(s.d_in));
  CUDA_CHECK(cudaFree(s.d_out));
  s = {};
  return cudaSuccess;
}
