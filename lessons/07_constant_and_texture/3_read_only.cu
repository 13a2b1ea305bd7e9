// Rung 3: global memory again. The kernel promises that nobody writes the coefficients while it runs.
#include "constant_and_texture.h"

constexpr int kBlock = 256;  // threads a block: eight warps

__global__ void tone_kernel(float* out, const float* in, const std::uint8_t* zone, const float* curves,
                            std::int64_t n) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kBlock + threadIdx.x;
  if (i >= n) return;
  const float x = in[i];
  // TODO(1): rung 1's lines, with each coefficient loaded by __ldg, which makes that promise (4 lines).
}

cudaError_t tone(float* out, const float* in, const std::uint8_t* zone, const float* curves, std::int64_t n) {
  if (n == 0) return cudaSuccess;
  tone_kernel<<<static_cast<unsigned>((n + kBlock - 1) / kBlock), kBlock>>>(out, in, zone, curves, n);
  return cudaGetLastError();
}
