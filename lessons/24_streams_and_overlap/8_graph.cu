// Rung 8: rung 7's calls recorded once, as a graph. Each run then is a single call.
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

    if (again) CUDA_CHECK(cudaStreamWaitEvent(in, s.computed[b]));  // the kernel has read what was there
    CUDA_CHECK(cudaMemcpyAsync(d_in, s.in + first, count * sizeof(float), cudaMemcpyHostToDevice, in));
    CUDA_CHECK(cudaEventRecord(s.arrived[b], in));

    CUDA_CHECK(cudaStreamWaitEvent(work, s.arrived[b]));
    if (again)
      CUDA_CHECK(cudaStreamWaitEvent(work, s.left[b]));  // the result that was there has been fetched
    launch_springs(d_out, d_in, count, work);
    CUDA_CHECK(cudaEventRecord(s.computed[b], work));

    CUDA_CHECK(cudaStreamWaitEvent(out, s.computed[b]));
    CUDA_CHECK(cudaMemcpyAsync(s.out + first, d_out, count * sizeof(float), cudaMemcpyDeviceToHost, out));
    CUDA_CHECK(cudaEventRecord(s.left[b], out));
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
  for (cudaEvent_t& join : s.join) CUDA_CHECK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
  if (n == 0) return cudaSuccess;

  // Only s.streams[0] is captured by itself. The others belong to it from the moment on at which they wait
  // for something captured, and they have to come back to it before the capture ends.
  // TODO(1): record submit() as a graph. Begin the capture of s.streams[0], of this thread's calls only
  //          (cudaStreamCaptureModeThreadLocal); submit; record s.join[i] in each of the other streams, and
  //          let s.streams[0] wait for all of them; end the capture, which gives the graph; make s.graph of
  //          it, which can be launched, and destroy the graph, which is needed no more (10 lines).
  return cudaSuccess;
}

cudaError_t springs_run(Springs& s) {
  if (s.n == 0) return cudaSuccess;
  // TODO(2): launch the graph in s.streams[0], and wait (2 lines).
  return cudaSuccess;
}

cudaError_t springs_free(Springs& s) {
  // TODO(3): destroy what can be launched, where there is one (1 line).
  for (cudaEvent_t join : s.join) CUDA_CHECK(cudaEventDestroy(join));
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
