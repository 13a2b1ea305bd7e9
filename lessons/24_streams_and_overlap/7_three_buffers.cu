// Rung 7: device memory for three chunks only. Nothing but events keeps a copy from overwriting what a kernel
// still reads.
#include <algorithm>

#include "spring.h"
#include "streams_and_overlap.h"

constexpr std::int64_t kChunks = 16;

/// Puts all chunks into the streams. Nothing waits.
void submit(const Springs& s) {
  const cudaStream_t in = s.streams[0], work = s.streams[1], out = s.streams[2];
  const std::int64_t chunk = (s.n + kChunks - 1) / kChunks;  // rounded up: the last may be shorter
  for (std::int64_t first = 0; first < s.n; first += chunk) {
    const std::int64_t count = std::min(chunk, s.n - first);
    // TODO(1): the buffers take turns. Which of them is this chunk's, where does it begin in s.d_in and in
    //          s.d_out, and did another chunk have it before? Then rung 6's steps on their three streams, and
    //          what else each has to wait for where the buffers are used again; record that the chunk has
    //          left, too (14 lines).
  }
}

cudaError_t springs_allocate(Springs& s, std::int64_t n) {
  s.n = n;
  const std::int64_t chunk = (n + kChunks - 1) / kChunks;
  CUDA_CHECK(cudaMallocHost(&s.in, n * sizeof(float)));
  CUDA_CHECK(cudaMallocHost(&s.out, n * sizeof(float)));
  // TODO(2): device memory for kBuffers chunks each, and no more (2 lines).
  for (cudaStream_t& stream : s.streams)
    CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  for (auto* events : {s.arrived, s.computed, s.left})
    for (int b = 0; b < kBuffers; ++b)  // without their time, which would cost some
      CUDA_CHECK(cudaEventCreateWithFlags(&events[b], cudaEventDisableTiming));
  return cudaSuccess;
}

cudaError_t springs_run(Springs& s) {
  submit(s);
  CUDA_CHECK(cudaStreamSynchronize(s.streams[2]));  // all else has happened before the last copy out
  return cudaSuccess;
}

cudaError_t springs_free(Springs& s) {
  for (auto* events : {s.arrived, s.computed, s.left})
    for (int b = 0; b < kBuffers; ++b) CUDA_CHECK(cudaEventDestroy(events[b]));
  for (cudaStream_t stream : s.streams)
    if (stream != nullptr) CUDA_CHECK(cudaStreamDestroy(stream));
  CUDA_CHECK(cudaFreeHost(s.in));
  CUDA_CHECK(cudaFreeHost(s.out));
  CUDA_CHECK(cudaFree(s.d_in));
  CUDA_CHECK(cudaFree(s.d_out));
  s = {};
  return cudaSuccess;
}
