// Rung 8: SwiGLU, whose two inputs lie beside each other in the row of one matrix product's result.
#include <cstdint>

#include "rms_norm.h"

constexpr int kBlock = 256;  // threads a block: eight warps
constexpr int kEach = 4;     // vectors of a row that a thread has
constexpr int kWide = 8;     // bf16 in 16 bytes, the widest access a thread has

/// Eight neighbours, as they are computed with.
struct Eight {
  float at[kWide];
};

/// The eight bf16 that lie in 16 bytes, the first in the lower half of x.
__device__ Eight unpack(uint4 bits) {
  const __nv_bfloat162* const pair = reinterpret_cast<const __nv_bfloat162*>(&bits);
  Eight result;
#pragma unroll
  for (int j = 0; j < kWide / 2; ++j) {
    const float2 two = __bfloat1622float2(pair[j]);
    result.at[2 * j] = two.x;
    result.at[2 * j + 1] = two.y;
  }
  return result;
}

/// The way back: each is rounded to the nearest bf16.
__device__ uint4 pack(const Eight& value) {
  uint4 bits;
  __nv_bfloat162* const pair = reinterpret_cast<__nv_bfloat162*>(&bits);
#pragma unroll
  for (int j = 0; j < kWide / 2; ++j) pair[j] = __floats2bfloat162_rn(value.at[2 * j], value.at[2 * j + 1]);
  return bits;
}

/// silu(gate) * up, with silu(g) = g / (1 + exp(-g)).
__device__ Eight gated(Eight gate, const Eight& up) {
  // TODO(1): element by element; expf may become infinite where what is divided by it may not (3 lines).
  // BEGIN SOLUTION
#pragma unroll
  for (int j = 0; j < kWide; ++j)
    gate.at[j] = gate.at[j] / (1.0f + expf(-gate.at[j])) * up.at[j];  // -g / infinity is -0
  // END SOLUTION
  return gate;
}

/// Blocks along x are rows; along y they divide a row's columns.
__global__ void __launch_bounds__(kBlock)
    swiglu_kernel(__nv_bfloat16* __restrict__ out, const __nv_bfloat16* __restrict__ in, int cols) {
  const std::int64_t row = blockIdx.x;
  const int vectors = cols / kWide;  // of a row of `out`
  const int first = static_cast<int>(blockIdx.y * (kBlock * kEach) + threadIdx.x);
  // TODO(2): vectors first + k * kBlock, for k from 0 to kEach, as far as the row has them: of the gates, and
  //          of what lies cols elements behind them; one store each (11 lines).
  // BEGIN SOLUTION
  const uint4* const gates = reinterpret_cast<const uint4*>(in + row * 2 * cols);
  const uint4* const ups = gates + vectors;
  uint4* const to = reinterpret_cast<uint4*>(out + row * cols);
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    const int i = first + k * kBlock;
    if (i < vectors) {
      const uint4 gate = __ldcs(gates + i), up = __ldcs(ups + i);
      __stcs(to + i, pack(gated(unpack(gate), unpack(up))));
    }
  }
  // END SOLUTION
}

cudaError_t swiglu(__nv_bfloat16* out, const __nv_bfloat16* in, int rows, int cols) {
  if (rows == 0 || cols == 0) return cudaSuccess;
  constexpr int kPerBlock = kBlock * kEach * kWide;
  const dim3 blocks(static_cast<unsigned>(rows), static_cast<unsigned>((cols - 1) / kPerBlock + 1));
  swiglu_kernel<<<blocks, kBlock>>>(out, in, cols);
  return cudaGetLastError();
}
