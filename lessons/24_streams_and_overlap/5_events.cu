// Rung 5: device memory for three pieces only, and a stream for each engine. Nothing but events keeps a copy
// from overwriting what a kernel still reads.
#include <algorithm>

#include "spring.h"
#include "streams_and_overlap.h"

constexpr std::int64_t kPieces = 16;

cudaError_t springs_allocate(Springs& s, std::int64_t n) {
  s.n = n;
  const std::int64_t piece = (n + kPieces - 1) / kPieces;
  CUDA_CHECK(cudaMallocHost(&s.in, n * sizeof(float)));
  CUDA_CHECK(cudaMallocHost(&s.out, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&s.d_in, kBuffers * piece * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&s.d_out, kBuffers * piece * sizeof(float)));
  for (cudaStream_t& stream : s.streams)
    CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  for (auto* events : {s.arrived, s.computed, s.left})
    for (int b = 0; b < kBuffers; ++b)  // without their time, which would cost some
      CUDA_CHECK(cudaEventCreateWithFlags(&events[b], cudaEventDisableTiming));
  return cudaSuccess;
}

cudaError_t springs_run(Springs& s) {
  const cudaStream_t in = s.streams[0], work = s.streams[1], out = s.streams[2];
  const std::int64_t piece = (s.n + kPieces - 1) / kPieces;
  for (std::int64_t first = 0; first < s.n; first += piece) {
    const std::int64_t count = std::min(piece, s.n - first);
    const int b = first / piece % kBuffers;        // this piece's buffers
    const bool again = first / piece >= kBuffers;  // which another piece had before
    float* d_in = s.d_in + b * piece;
    float* d_out = s.d_out + b * piece;

    // TODO(1): copy in on `in`. If the buffer is used again, what has to be over before? Then record that
    //          this piece has arrived (4 lines). cudaStreamWaitEvent(stream, event) lets a stream wait, and
    //          not the host.

    // TODO(2): work on `work`. For what does it wait in any case, and for what if the buffers are used again?
    //          Record that this piece is computed (4 lines).

    // TODO(3): copy out on `out`, when there is something to copy, and record that it has left (3 lines).
  }
  CUDA_CHECK(cudaStreamSynchronize(out));  // all else has happened before the last copy out
  return cudaSuccess;
}

cudaError_t springs_free(Springs& s) {
  for (auto* events : {s.arrived, s.computed, s.left})
    for (int b = 0; b < kBuffers; ++b) CUDA_CHECK(cudaEventDestroy(events[b]));
  for (cudaStream_t stream : s.streams) CUDA_CHECK(cudaStreamDestroy(stream));
  CUDA_CHECK(cudaFreeHost(s.in));
  CUDA_CHECK(cudaFreeHost(s.out));
  CUDA_CHECK(cudaFree(s.d_in));
  CUDA_CHECK(cudaFree(s.d_out));
  s = {};
  return cudaSuccess;
}
