// Fills Particles from records, wherever a rung's Layout wants them. Given; not timed.
#pragma once

#include "common/cuda_check.h"
#include "memory_coalescing.h"

/// One float a thread: field i % kFields of particle i / kFields.
template <class Layout>
__global__ void store_kernel(Particles particles, const float* records) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < particles.n * kFields)
    particles.data[Layout::place(particles, i / kFields, static_cast<int>(i % kFields))] = records[i];
}

/// Allocates @p floats floats and puts each field of each particle where Layout::place() says.
///
/// @param particles  n and pitch are set
/// @param records    device, float [n][kFields]
/// @param floats     size of the arrangement, with all padding
/// @return cudaSuccess, or the launch error
/// @throws ladder::CudaError when the allocation fails
template <class Layout>
cudaError_t store(Particles& particles, const float* records, std::int64_t floats) {
  constexpr int kThreads = 256;
  if (particles.n == 0) return cudaSuccess;  // a grid of no blocks would be a launch error
  CUDA_CHECK(cudaMalloc(&particles.data, static_cast<std::size_t>(floats) * sizeof(float)));
  const std::int64_t blocks = (particles.n * kFields + kThreads - 1) / kThreads;
  store_kernel<Layout><<<static_cast<unsigned>(blocks), kThreads>>>(particles, records);
  return cudaGetLastError();
}
