// Rung 3: calls that only put work into a stream. The host is free until it waits for all of it at once.
#include "spring.h"
#include "streams_and_overlap.h"

/// Puts the work into a stream. Nothing waits.
void submit(const Springs& s) {
  if (s.n == 0) return;
  const cudaStream_t stream = s.streams[0];
  // TODO(1): copy in, work and copy out, all in `stream`, without waiting: cudaMemcpyAsync takes the stream
  //          last (3 lines).
  // BEGIN SOLUTION
  CUDA_CHECK(cudaMemcpyAsync(s.d_in, s.in, s.n * sizeof(float), cudaMemcpyHostToDevice, stream));
  launch_springs(s.d_out, s.d_in, s.n, stream);
  CUDA_CHECK(cudaMemcpyAsync(s.out, s.d_out, s.n * sizeof(float), cudaMemcpyDeviceToHost, stream));
  // END SOLUTION
}

cudaError_t springs_allocate(Springs& s, std::int64_t n) {
  s.n = n;
  CUDA_CHECK(cudaMallocHost(&s.in, n * sizeof(float)));
  CUDA_CHECK(cudaMallocHost(&s.out, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&s.d_in, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&s.d_out, n * sizeof(float)));
  // TODO(2): create s.streams[0] so that the default stream does not wait for it, nor it for the default
  //          stream: cudaStreamCreateWithFlags and cudaStreamNonBlocking (1 line).
  // BEGIN SOLUTION
  CUDA_CHECK(cudaStreamCreateWithFlags(&s.streams[0], cudaStreamNonBlocking));
  // END SOLUTION
  return cudaSuccess;
}

cudaError_t springs_run(Springs& s) {
  submit(s);
  // TODO(3): nothing has waited so far: wait for the stream, for the host reads s.out next (1 line).
  // BEGIN SOLUTION
  CUDA_CHECK(cudaStreamSynchronize(s.streams[0]));
  // END SOLUTION
  return cudaSuccess;
}

cudaError_t springs_free(Springs& s) {
  // TODO(4): what was created is destroyed; it may be null, where the allocation failed before (1 line).
  // BEGIN SOLUTION
  if (s.streams[0] != nullptr) CUDA_CHECK(cudaStreamDestroy(s.streams[0]));
  // END SOLUTION
  CUDA_CHECK(cudaFreeHost(s.in));
  CUDA_CHECK(cudaFreeHost(s.out));
  CUDA_CHECK(cudaFree(s.d_in));
  CUDA_CHECK(cudaFree(s.d_out));
  s = {};
  return cudaSuccess;
}
