// Rung 5: chunks on several streams, so that copies in, kernels and copies out overlap.
#include <algorithm>

#include "common/cuda_check.h"
#include "vector_add.h"

constexpr std::int64_t kChunk = 1 << 20;  // 4 MiB a vector: long against a launch, short against the whole

__global__ void add_kernel(float* out, const float* a, const float* b, std::int64_t n) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] + b[i];
}

/// Puts the addition into a stream.
inline void launch_add(float* out, const float* a, const float* b, std::int64_t n, cudaStream_t stream) {
  constexpr int kBlock = 256;  // threads a block: whole warps of 32, and at most 1024 on any GPU
  const unsigned blocks = static_cast<unsigned>((n + kBlock - 1) / kBlock);  // rounded up
  add_kernel<<<blocks, kBlock, 0, stream>>>(out, a, b, n);
  CUDA_CHECK(cudaGetLastError());
}

cudaError_t vector_add_allocate(Vectors& v, std::int64_t n) {
  v.n = n;
  // TODO(1): create the kStreams streams of v (1 line).
  if (n == 0) return cudaSuccess;
  CUDA_CHECK(cudaMallocHost(&v.a, n * sizeof(float)));
  CUDA_CHECK(cudaMallocHost(&v.b, n * sizeof(float)));
  CUDA_CHECK(cudaMallocHost(&v.out, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&v.d_a, n * sizeof(float)));  // device memory: the host can't read it
  CUDA_CHECK(cudaMalloc(&v.d_b, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&v.d_out, n * sizeof(float)));
  return cudaSuccess;
}

cudaError_t vector_add(Vectors& v) {
  // TODO(2): a loop over chunks of kChunk elements. How long is this chunk (the last may be short), and whose
  //          turn is it of v.streams? Put the chunk's two copies in, its kernel and its copy out into that
  //          stream: while one stream computes, another copies. cudaMemcpyAsync takes the stream last. Behind
  //          the loop, wait until every stream has delivered (10 lines).
  return cudaSuccess;
}

cudaError_t vector_add_free(Vectors& v) {
  // TODO(3): destroy the streams (1 line).
  CUDA_CHECK(cudaFreeHost(v.a));
  CUDA_CHECK(cudaFreeHost(v.b));
  CUDA_CHECK(cudaFreeHost(v.out));
  CUDA_CHECK(cudaFree(v.d_a));
  CUDA_CHECK(cudaFree(v.d_b));
  CUDA_CHECK(cudaFree(v.d_out));
  v = {};
  return cudaSuccess;
}
