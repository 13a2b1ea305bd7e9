// Rung 4: the dial. The same kernel is bound by memory or by arithmetic, as `steps` says; and the level of
// the roof in single precision.
#include "roofline.h"

constexpr int kBlock = 256;
constexpr int kChains = 8;  // elements of a thread: multiply-adds that do not wait for each other

__global__ void settle_kernel(float* out, const float* in, std::int64_t n, int steps) {
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * (kBlock * kChains) + threadIdx.x;
  constexpr float factor = static_cast<float>(kFactor), term = static_cast<float>(kTerm);
  // TODO(1): load kChains elements, kBlock apart, those that exist (5 lines).
  // TODO(2): `steps` times, for each of them, x = factor * x + term. Unroll both loops, the outer one 8
  //          times (5 lines).
  // TODO(3): store them (4 lines).
}

cudaError_t settle(float* out, const float* in, std::int64_t n, int steps) {
  if (n == 0) return cudaSuccess;
  constexpr std::int64_t kChunk = kBlock * kChains;
  settle_kernel<<<static_cast<unsigned>((n + kChunk - 1) / kChunk), kBlock>>>(out, in, n, steps);
  return cudaGetLastError();
}
