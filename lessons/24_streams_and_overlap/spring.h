// The work on the GPU, the same in all rungs. What this lesson is about happens around it.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

constexpr int kSteps = 256;             ///< of time, for each spring
constexpr float kTimeStep = 1.0f / 64;  ///< from one to the next

#ifdef __CUDACC__
#include "common/cuda_check.h"

/// A spring that stiffens as it is stretched, let go at rest: where it is after kSteps steps.
__device__ inline float follow(float x) {
  float v = 0;
#pragma unroll 8
  for (int step = 0; step < kSteps; ++step) {
    v -= kTimeStep * (x + x * x * x);
    x += kTimeStep * v;
  }
  return x;
}

static __global__ void spring_kernel(float* out, const float* in, std::int64_t n) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) out[i] = follow(in[i]);
}

/// Puts n springs into a stream. Nothing waits.
/// @param out, in  device, [n]; n > 0
inline void launch_springs(float* out, const float* in, std::int64_t n, cudaStream_t stream) {
  constexpr int kBlock = 256;
  spring_kernel<<<static_cast<unsigned>((n + kBlock - 1) / kBlock), kBlock, 0, stream>>>(out, in, n);
  CUDA_CHECK(cudaGetLastError());
}
#endif
