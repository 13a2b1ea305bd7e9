// Rung 5: rung 2 on numbers of 16 bits.
#include "fused_bias_mask_scale_add.h"

constexpr int kBlock = 256;  // threads a block: eight warps

__global__ void fused_kernel(__half* out, const __half* in, const __half* bias, const std::uint8_t* mask,
                             const __half* residual, float scale, unsigned cols, unsigned n) {
  // TODO(1): all of it for the element of this thread, if there is one, in float; __half2float and
  //          __float2half_rn convert (5 lines).
}

cudaError_t bias_mask_scale_add(__half* out, const __half* in, const __half* bias, const std::uint8_t* mask,
                                const __half* residual, float scale, int rows, int cols) {
  if (rows == 0 || cols == 0) return cudaSuccess;
  const unsigned n = static_cast<unsigned>(rows) * static_cast<unsigned>(cols);
  // TODO(2): the launch, a thread for each element (2 lines).
  return cudaGetLastError();
}
