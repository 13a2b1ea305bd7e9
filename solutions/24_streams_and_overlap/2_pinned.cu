// Rung 2: pinned host memory. Its pages stay where they are, so the GPU's copy engines fetch them by
// themselves.
#include "spring.h"
#include "streams_and_overlap.h"

cudaError_t springs_allocate(Springs& s, std::int64_t n) {
  s.n = n;
  // TODO(1): allocate in and out as pinned host memory (2 lines).
  // BEGIN SOLUTION
  CUDA_CHECK(cudaMallocHost(&s.in, n * sizeof(float)));
  CUDA_CHECK(cudaMallocHost(&s.out, n * sizeof(float)));
  // END SOLUTION
  CUDA_CHECK(cudaMalloc(&s.d_in, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&s.d_out, n * sizeof(float)));
  return cudaSuccess;
}

cudaError_t springs_run(Springs& s) {
  if (s.n == 0) return cudaSuccess;
  CUDA_CHECK(cudaMemcpy(s.d_in, s.in, s.n * sizeof(float), cudaMemcpyHostToDevice));
  launch_springs(s.d_out, s.d_in, s.n, nullptr);
  CUDA_CHECK(cudaMemcpy(s.out, s.d_out, s.n * sizeof(float), cudaMemcpyDeviceToHost));
  return cudaSuccess;
}

cudaError_t springs_free(Springs& s) {
  // TODO(2): what was not allocated by new is not freed by delete (2 lines).
  // BEGIN SOLUTION
  CUDA_CHECK(cudaFreeHost(s.in));
  CUDA_CHECK(cudaFreeHost(s.out));
  // END SOLUTION
  CUDA_CHECK(cudaFree(s.d_in));
  CUDA_CHECK(cudaFree(s.d_out));
  s = {};
  return cudaSuccess;
}
