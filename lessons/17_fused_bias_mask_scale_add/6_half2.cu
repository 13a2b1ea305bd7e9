// Rung 6: two elements at once.
#include "fused_bias_mask_scale_add.h"

constexpr int kBlock = 256;  // threads a block: eight warps
constexpr int kWide = 2;     // halves in a __half2

/// The biases of two neighbouring elements, the first of them in column `col`.
__device__ __half2 bias_pair(const __half* bias, unsigned col, unsigned cols) {
  // TODO(1): one load of a __half2, where that is allowed: which columns can a pair begin in, and which
  //          of these addresses are multiples of 4 bytes? Elsewhere two loads; a pair may end one row and
  //          begin the next (3 lines).
}

/// What to multiply two elements by: scale or 0.
/// @param keep  their two bytes of the mask, each 0 or 1: the first in bits 0 to 7, the other in 8 to 15
__device__ __half2 factors(unsigned keep, __half scale) {
  // TODO(2): move the second byte from bits 8 to 15 up to bits 16 to 23, where the upper half of a
  //          __half2 begins, with __byte_perm or a shift. Then one integer multiplication makes 0 or the
  //          scale's bits, __half_as_ushort(scale), of each (2 or 3 lines).
}

__device__ __half2 fused(__half2 in, __half2 bias, __half2 factor, __half2 residual) {
  // TODO(3): two packed instructions: __hadd2 and __hfma2(a, b, c) = a * b + c (1 line).
}

__global__ void fused_kernel(__half* out, const __half* in, const __half* bias, const std::uint8_t* mask,
                             const __half* residual, __half scale, unsigned cols, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned pairs = n / kWide;  // whole ones
  // TODO(4): thread i takes pair i, if there are so many whole ones: two bytes of mask with one load,
  //          then the functions above (7 lines).
  const unsigned rest = pairs * kWide + i;  // one may be left: it goes through the same, as a pair of equals
  if (rest < n)
    out[rest] = __low2half(fused(__half2half2(in[rest]), __half2half2(bias[rest % cols]),
                                 factors(mask[rest], scale), __half2half2(residual[rest])));
}

cudaError_t bias_mask_scale_add(__half* out, const __half* in, const __half* bias, const std::uint8_t* mask,
                                const __half* residual, float scale, int rows, int cols) {
  if (rows == 0 || cols == 0) return cudaSuccess;
  const unsigned n = static_cast<unsigned>(rows) * static_cast<unsigned>(cols);
  constexpr unsigned kPerBlock = kBlock * kWide;
  const unsigned blocks = (n + kPerBlock - 1) / kPerBlock;
  fused_kernel<<<blocks, kBlock>>>(out, in, bias, mask, residual, __float2half_rn(scale),
                                   static_cast<unsigned>(cols), n);
  return cudaGetLastError();
}
