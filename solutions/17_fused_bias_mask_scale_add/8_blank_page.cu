// Blank page: dropout and a residual, with a mask of one bit an element.
#include "blank_page.h"

// TODO(1): dropout_add(), whose contract is in blank_page.h: the kernel, any functions that you want it
//          to call, and the launch (about 35 lines).
// BEGIN SOLUTION
constexpr int kBlock = 256;  // threads a block: eight warps
constexpr int kWide = 8;     // halves in 16 bytes, the widest access a thread has; bits in a byte of the mask

/// What to multiply two elements by: scale or 0.
/// @param keep  bits 0 and 1 are those of the two elements; the others do not count
__device__ __half2 factors(unsigned keep, __half scale) {
  const unsigned spread = (keep & 1) | (keep & 2) << 15;  // a bit at 0 and one at 16
  // 0 or 1 times 16 bits: no carry into the upper half.
  const unsigned bits = spread * __half_as_ushort(scale);
  return *reinterpret_cast<const __half2*>(&bits);
}

__global__ void dropout_kernel(__half* out, const __half* in, const std::uint8_t* mask,
                               const __half* residual, __half scale, std::int64_t n) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t vectors = n / kWide;  // whole ones
  if (i < vectors) {
    uint4 x = reinterpret_cast<const uint4*>(in)[i];
    const uint4 r = reinterpret_cast<const uint4*>(residual)[i];
    const unsigned keep = mask[i];  // of the same eight elements
    __half2* const pair = reinterpret_cast<__half2*>(&x);
    const __half2* const add = reinterpret_cast<const __half2*>(&r);
#pragma unroll
    for (int j = 0; j < kWide / 2; ++j) pair[j] = __hfma2(pair[j], factors(keep >> 2 * j, scale), add[j]);
    reinterpret_cast<uint4*>(out)[i] = x;
  }
  // Up to seven elements are left, with the mask's last byte: one each for the first threads of the grid.
  const std::int64_t rest = vectors * kWide + i;
  if (rest < n) {
    const __half2 factor = factors(mask[vectors] >> i, scale);
    out[rest] = __low2half(__hfma2(__half2half2(in[rest]), factor, __half2half2(residual[rest])));
  }
}

cudaError_t dropout_add(__half* out, const __half* in, const std::uint8_t* mask, const __half* residual,
                        float scale, std::int64_t n) {
  if (n == 0) return cudaSuccess;
  constexpr int kPerBlock = kBlock * kWide;
  const unsigned blocks = static_cast<unsigned>((n + kPerBlock - 1) / kPerBlock);
  dropout_kernel<<<blocks, kBlock>>>(out, in, mask, residual, __float2half_rn(scale), n);
  return cudaGetLastError();
}
// END SOLUTION
