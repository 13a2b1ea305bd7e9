// Rung 7: eight elements at once: 16 bytes of halves, 8 of mask.
#include "fused_bias_mask_scale_add.h"

constexpr int kBlock = 256;  // threads a block: eight warps
constexpr int kWide = 8;     // halves in 16 bytes, the widest access a thread has
constexpr int kPairs = kWide / 2;

/// Eight halves that are loaded and stored as one.
union Vector {
  uint4 bytes;
  unsigned pair[kPairs];
  __device__ __half2 operator[](int j) const { return *reinterpret_cast<const __half2*>(&pair[j]); }
  __device__ void set(int j, __half2 value) { pair[j] = *reinterpret_cast<const unsigned*>(&value); }
};

/// The biases of eight neighbouring elements, the first of them in column `col`.
__device__ Vector bias_vector(const __half* bias, unsigned col, unsigned cols) {
  Vector b;
  if (cols % kWide == 0) {  // the same for all threads: every vector lies within a row
    b.bytes = *reinterpret_cast<const uint4*>(bias + col);
    return b;
  }
  // TODO(1): bias by bias, a pair for each j from 0 to kPairs. A vector may go on in the next row, or in
  //          several (7 lines).
  return b;
}

/// What to multiply two elements by: scale or 0.
/// @param keep  their two bytes of the mask, each 0 or 1: the first in bits 0 to 7, the other in 8 to 15
__device__ __half2 factors(unsigned keep, __half scale) {
  const unsigned spread = __byte_perm(keep, 0, 0x4140);  // bytes 4 to 7 are those of the second argument: 0
  // 0 or 1 times 16 bits: no carry into the upper half.
  const unsigned bits = spread * __half_as_ushort(scale);
  return *reinterpret_cast<const __half2*>(&bits);
}

__device__ __half2 fused(__half2 in, __half2 bias, __half2 factor, __half2 residual) {
  return __hfma2(__hadd2(in, bias), factor, residual);
}

__global__ void fused_kernel(__half* out, const __half* in, const __half* bias, const std::uint8_t* mask,
                             const __half* residual, __half scale, unsigned cols, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned vectors = n / kWide;  // whole ones
  // TODO(2): vector i, if there are so many whole ones, of in, residual (16 bytes each) and mask (8
  //          bytes, a uint2), and the biases from column i * kWide % cols on; then four pairs, whose mask
  //          bytes are the lower and the upper 16 bits of the uint2's x and y; then the store (12 lines).
  const unsigned rest = vectors * kWide + i;  // up to seven are left: each as a pair of equals
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
