// Rung 1: the slope. A copy with enough bytes in flight.
#include "roofline.h"

constexpr int kBlock = 128;
constexpr int kLoads = 4;  // of 16 bytes each, that a thread has on their way at the same time

/// @param vectors  of 16 bytes, in each array
__global__ void move_kernel(float4* out, const float4* in, std::int64_t vectors) {
  // TODO(1): the block's first vector; then kLoads vectors into registers, kBlock apart, before the first is
  //          stored. Guard both against the end (about 9 lines).
  // BEGIN SOLUTION
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * (kBlock * kLoads) + threadIdx.x;
  float4 value[kLoads];
#pragma unroll
  for (int k = 0; k < kLoads; ++k)
    if (first + k * kBlock < vectors) value[k] = in[first + k * kBlock];
#pragma unroll
  for (int k = 0; k < kLoads; ++k)
    if (first + k * kBlock < vectors) out[first + k * kBlock] = value[k];
  // END SOLUTION
}

__global__ void move_rest_kernel(float* out, const float* in) { out[threadIdx.x] = in[threadIdx.x]; }

cudaError_t move(float* out, const float* in, std::int64_t n) {
  const std::int64_t vectors = n / 4;
  // TODO(2): launch for the whole vectors, if there are any (4 lines). What is left is done below.
  // BEGIN SOLUTION
  constexpr std::int64_t kChunk = kBlock * kLoads;
  const unsigned blocks = static_cast<unsigned>((vectors + kChunk - 1) / kChunk);
  if (blocks > 0)
    move_kernel<<<blocks, kBlock>>>(reinterpret_cast<float4*>(out), reinterpret_cast<const float4*>(in),
                                    vectors);
  // END SOLUTION
  if (n % 4 > 0) move_rest_kernel<<<1, static_cast<unsigned>(n % 4)>>>(out + vectors * 4, in + vectors * 4);
  return cudaGetLastError();
}
