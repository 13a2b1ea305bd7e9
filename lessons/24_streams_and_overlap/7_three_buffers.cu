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
    const int b = first / chunk % kBuffers;        // this chunk's buffers, and its events
    const bool again = first / chunk >= kBuffers;  // which another chunk had before
    float *d_in = s.d_in + b * chunk, *d_out = s.d_out + b * chunk;

    // TODO(1): copy in on `in`, and record it, as in rung 6. If the buffer is used again, what has to be over
    //          before (3 lines)?

    // TODO(2): work on `work`, and record it, as in rung 6. For what does it wait, too, if the buffers are
    //          used again (4 lines)?

    // TODO(3): copy out on `out`, as in rung 6, and record that the chunk has left (3 lines).
  }
}

cudaError_t springs_allocate(Springs& s, std::int64_t n) {
  s.n = n;
  const std::int64_t chunk = (n + kChunks - 1) / kChunks;
  CUDA_CHECK(cudaMallocHost(&s.in, n * sizeof(float)));
  CUDA_CHECK(cudaMallocHost(&s.out, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&s.d_in, kBuffers * chunk * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&s.d_out, kBuffers * chunk * sizeof(float)));
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
