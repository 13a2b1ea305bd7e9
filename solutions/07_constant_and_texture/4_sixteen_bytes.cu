// Rung 4: a curve by two loads of 16 bytes instead of eight of four.
#include "constant_and_texture.h"

constexpr int kBlock = 256;  // threads a block: eight warps

__global__ void tone_kernel(float* out, const float* in, const std::uint8_t* zone, const float* curves,
                            std::int64_t n) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kBlock + threadIdx.x;
  if (i >= n) return;
  const float x = in[i];
  // TODO(1): load the eight coefficients as two float4. Then the polynomial, term by term, and store it (10
  //          lines).
  // BEGIN SOLUTION
  const float4* const curve = reinterpret_cast<const float4*>(curves + zone[i] * kTerms);
  const float4 low = __ldg(&curve[0]), high = __ldg(&curve[1]);
  float sum = high.w;
  sum = sum * x + high.z;
  sum = sum * x + high.y;
  sum = sum * x + high.x;
  sum = sum * x + low.w;
  sum = sum * x + low.z;
  sum = sum * x + low.y;
  out[i] = sum * x + low.x;
  // END SOLUTION
}

cudaError_t tone(float* out, const float* in, const std::uint8_t* zone, const float* curves, std::int64_t n) {
  if (n == 0) return cudaSuccess;
  tone_kernel<<<static_cast<unsigned>((n + kBlock - 1) / kBlock), kBlock>>>(out, in, zone, curves, n);
  return cudaGetLastError();
}
