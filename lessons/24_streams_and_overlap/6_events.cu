// Rung 6: a stream for each engine. Events keep a chunk's steps in order, which no stream does any more.
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
    const int b = first / chunk % kBuffers;  // which of the events are its own
    float *d_in = s.d_in + first, *d_out = s.d_out + first;

    // TODO(1): copy in on `in`. Then record that this chunk has arrived (2 lines).

    // TODO(2): work on `work`. For what does it wait? cudaStreamWaitEvent(stream, event) lets a stream wait,
    //          and not the host. Record that this chunk is computed (3 lines).

    // TODO(3): copy out on `out`, when there is something to copy (2 lines).
  }
}

cudaError_t springs_allocate(Springs& s, std::int64_t n) {
  s.n = n;
  CUDA_CHECK(cudaMallocHost(&s.in, n * sizeof(float)));
  CUDA_CHECK(cudaMallocHost(&s.out, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&s.d_in, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&s.d_out, n * sizeof(float)));
  // TODO(4): create the three streams, and the events arrived and computed, kBuffers of each: events which
  //          only order streams need no time (cudaEventDisableTiming), and cost less without (5 lines).
  return cudaSuccess;
}

cudaError_t springs_run(Springs& s) {
  submit(s);
  // TODO(5): how much has to be waited for, so that all else has happened, too (1 line)?
  return cudaSuccess;
}

cudaError_t springs_free(Springs& s) {
  // TODO(6): destroy what was created (4 lines).
  CUDA_CHECK(cudaFreeHost(s.in));
  CUDA_CHECK(cudaFreeHost(s.out));
  CUDA_CHECK(cudaFree(s.d_in));
  CUDA_CHECK(cudaFree(s.d_out));
  s = {};
  return cudaSuccess;
}
