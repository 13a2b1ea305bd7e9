// Rung 1: ordinary host memory. It may be moved or swapped out, so the driver copies it chunk by chunk
// through a buffer of its own.
#include "spring.h"
#include "streams_and_overlap.h"

cudaError_t springs_allocate(Springs& s, std::int64_t n) {
  s.n = n;
  // TODO(1): room for n springs and as many results: s.in and s.out in the host's memory, by new; s.d_in and
  //          s.d_out on the device (4 lines).
  // BEGIN SOLUTION
  s.in = new float[n];
  s.out = new float[n];
  CUDA_CHECK(cudaMalloc(&s.d_in, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&s.d_out, n * sizeof(float)));
  // END SOLUTION
  return cudaSuccess;
}

cudaError_t springs_run(Springs& s) {
  if (s.n == 0) return cudaSuccess;
  // TODO(2): copy in, launch_springs() on the default stream (which is nullptr), copy out (3 lines).
  // BEGIN SOLUTION
  CUDA_CHECK(cudaMemcpy(s.d_in, s.in, s.n * sizeof(float), cudaMemcpyHostToDevice));
  launch_springs(s.d_out, s.d_in, s.n, nullptr);
  CUDA_CHECK(cudaMemcpy(s.out, s.d_out, s.n * sizeof(float), cudaMemcpyDeviceToHost));
  // END SOLUTION
  return cudaSuccess;
}

cudaError_t springs_free(Springs& s) {
  // TODO(3): free all four (4 lines).
  // BEGIN SOLUTION
  delete[] s.in;
  delete[] s.out;
  CUDA_CHECK(cudaFree(s.d_in));
  CUDA_CHECK(cudaFree(s.d_out));
  // END SOLUTION
  s = {};
  return cudaSuccess;
}
