// Rung 6: rung 4's calls recorded once, as a graph. Each run then is a single call.
#include <algorithm>

#include "spring.h"
#include "streams_and_overlap.h"

constexpr std::int64_t kPieces = 16;

/// Puts all pieces into the streams, as rung 4 does. Nothing waits.
void submit(const Springs& s) {
  const std::int64_t piece = (s.n + kPieces - 1) / kPieces;
  for (std::int64_t first = 0; first < s.n; first += piece) {
    const std::int64_t count = std::min(piece, s.n - first);
    const cudaStream_t stream = s.streams[first / piece % kStreams];
    CUDA_CHECK(
        cudaMemcpyAsync(s.d_in + first, s.in + first, count * sizeof(float), cudaMemcpyHostToDevice, stream));
    launch_springs(s.d_out + first, s.d_in + first, count, stream);
    CUDA_CHECK(cudaMemcpyAsync(s.out + first, s.d_out + first, count * sizeof(float), cudaMemcpyDeviceToHost,
                               stream));
  }
}

cudaError_t springs_allocate(Springs& s, std::int64_t n) {
  s.n = n;
  CUDA_CHECK(cudaMallocHost(&s.in, n * sizeof(float)));
  CUDA_CHECK(cudaMallocHost(&s.out, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&s.d_in, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&s.d_out, n * sizeof(float)));
  for (cudaStream_t& stream : s.streams)
    CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CUDA_CHECK(cudaEventCreateWithFlags(&s.fork, cudaEventDisableTiming));
  for (cudaEvent_t& join : s.join) CUDA_CHECK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
  if (n == 0) return cudaSuccess;

  // Only s.streams[0] is captured by itself. The others belong to it from the moment on at which they wait
  // for something captured, and they have to come back to it before the capture ends.
  CUDA_CHECK(cudaStreamBeginCapture(s.streams[0], cudaStreamCaptureModeThreadLocal));
  // TODO(1): record s.fork in s.streams[0] and let the other streams wait for it (3 lines).
  submit(s);
  // TODO(2): record s.join[i] in each of the other streams, and let s.streams[0] wait for all of them (4
  //          lines).
  cudaGraph_t graph = nullptr;
  // TODO(3): end the capture, which gives the graph, and make s.graph of it, which can be launched (2 lines).
  CUDA_CHECK(cudaGraphDestroy(graph));  // s.graph needs it no more
  return cudaSuccess;
}

cudaError_t springs_run(Springs& s) {
  if (s.n == 0) return cudaSuccess;
  // TODO(4): launch the graph in s.streams[0], and wait (2 lines).
  return cudaSuccess;
}

cudaError_t springs_free(Springs& s) {
  if (s.graph != nullptr) CUDA_CHECK(cudaGraphExecDestroy(s.graph));
  CUDA_CHECK(cudaEventDestroy(s.fork));
  for (cudaEvent_t join : s.join) CUDA_CHECK(cudaEventDestroy(join));
  for (cudaStream_t stream : s.streams) CUDA_CHECK(cudaStreamDestroy(stream));
  CUDA_CHECK(cudaFreeHost(s.in));
  CUDA_CHECK(cudaFreeHost(s.out));
  CUDA_CHECK(cudaFree(s.d_in));
  CUDA_CHECK(cudaFree(s.d_out));
  s = {};
  return cudaSuccess;
}
