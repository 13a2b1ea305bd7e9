// Rung 2: the coefficients in constant memory, which has a cache of its own.
#include "constant_and_texture.h"

constexpr int kBlock = 256;  // threads a block: eight warps

// TODO(1): declare c_curves, an array in constant memory for all coefficients (1 line).

__global__ void tone_kernel(float* out, const float* in, const std::uint8_t* zone, std::int64_t n) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kBlock + threadIdx.x;
  if (i >= n) return;
  const float x = in[i];
  // TODO(2): rung 1's lines, with the curves from c_curves (4 lines).
}

cudaError_t tone(float* out, const float* in, const std::uint8_t* zone, const float* curves, std::int64_t n) {
  if (n == 0) return cudaSuccess;
  // TODO(3): a kernel cannot write constant memory, a copy can: cudaMemcpyToSymbolAsync, from the device to
  //          the device. Return its error, if it has one (3 lines).
  tone_kernel<<<static_cast<unsigned>((n + kBlock - 1) / kBlock), kBlock>>>(out, in, zone, n);
  return cudaGetLastError();
}
