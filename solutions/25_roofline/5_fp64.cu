// Rung 5: the level of the roof in double precision.
#include "roofline.h"

constexpr int kBlock = 256;
constexpr int kChains = 8;  // elements of a thread: multiply-adds that do not wait for each other

__global__ void settle_kernel(double* out, const double* in, std::int64_t n, int steps) {
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * (kBlock * kChains) + threadIdx.x;
  constexpr double factor = static_cast<double>(kFactor), term = static_cast<double>(kTerm);
  // TODO(1): load kChains elements, kBlock apart, those that exist (5 lines).
  // BEGIN SOLUTION
  double x[kChains];
#pragma unroll
  for (int k = 0; k < kChains; ++k) {
    x[k] = first + k * kBlock < n ? in[first + k * kBlock] : 0;
  }
  // END SOLUTION
  // TODO(2): `steps` times, for each of them, x = factor * x + term. Unroll both loops, the outer one 8
  //          times (5 lines).
  // BEGIN SOLUTION
#pragma unroll 8
  for (int step = 0; step < steps; ++step) {
#pragma unroll
    for (int k = 0; k < kChains; ++k) x[k] = factor * x[k] + term;  // one instruction: a fused multiply-add
  }
  // END SOLUTION
  // TODO(3): store them (4 lines).
  // BEGIN SOLUTION
#pragma unroll
  for (int k = 0; k < kChains; ++k) {
    if (first + k * kBlock < n) out[first + k * kBlock] = x[k];
  }
  // END SOLUTION
}

cudaError_t settle(double* out, const double* in, std::int64_t n, int steps) {
  if (n == 0) return cudaSuccess;
  constexpr std::int64_t kChunk = kBlock * kChains;
  settle_kernel<<<static_cast<unsigned>((n + kChunk - 1) / kChunk), kBlock>>>(out, in, n, steps);
  return cudaGetLastError();
}
