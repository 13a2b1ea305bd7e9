// Rung 1: the coefficients lie in global memory, like everything else.
#include "constant_and_texture.h"

constexpr int kBlock = 256;  // threads a block: eight warps

__global__ void tone_kernel(float* out, const float* in, const std::uint8_t* zone, const float* curves,
                            std::int64_t n) {
  // TODO(1): this thread's pixel, if there is one. The polynomial of its zone, from the highest power down:
  //          what there is so far, times x, plus the next coefficient. Store it (7 lines).
}

cudaError_t tone(float* out, const float* in, const std::uint8_t* zone, const float* curves, std::int64_t n) {
  if (n == 0) return cudaSuccess;
  tone_kernel<<<static_cast<unsigned>((n + kBlock - 1) / kBlock), kBlock>>>(out, in, zone, curves, n);
  return cudaGetLastError();
}
