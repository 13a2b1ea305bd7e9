// What CUDA's headers before 12.8 lack of half2 arithmetic, though every GPU of compute capability 7.5 or
// more has it.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#if defined(__CUDACC__) && CUDART_VERSION < 12080
/// tanh of both halves, by one instruction: within 2^-10.987 of the true value.
static __device__ inline __half2 h2tanh_approx(__half2 x) {
  asm("tanh.approx.f16x2 %0, %0;" : "+r"(reinterpret_cast<unsigned&>(x)));
  return x;
}
#endif
