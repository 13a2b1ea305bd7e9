// Rung 1: the coefficients lie in global memory, like everything else.
#include "constant_and_texture.h"

constexpr int kBlock = 256;  // threads a block: eight warps

__global__ void tone_kernel(float* out, const float* in, const std::uint8_t* zone, const float* curves,
                            std::int64_t n) {
  // TODO(1): this thread's pixel, if there is one. The polynomial of its zone, from the highest power down:
  //          what there is so far, times x, plus the next coefficient. Store it (7 lines).
  // BEGIN SOLUTION
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kBlock + threadIdx.x;
  if (i >= n) return;
  const float x = in[i];
  const float* const curve = curves + zone[i] * kTerms;
  float sum = curve[kTerms - 1];
  for (int k = kTerms - 2; k >= 0; --k) sum = sum * x + curve[k];
  out[i] = sum;
  // END SOLUTION
}

cudaError_t tone(float* out, const float* in, const std::uint8_t* zone, const float* curves, std::int64_t n) {
  if (n == 0) return cudaSuccess;
  tone_kernel<<<static_cast<unsigned>((n + kBlock - 1) / kBlock), kBlock>>>(out, in, zone, curves, n);
  return cudaGetLastError();
}
