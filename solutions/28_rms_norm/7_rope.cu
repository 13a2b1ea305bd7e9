// Rung 7: rotary position embedding: a warp a token, whose lanes keep their part of the token's angles.
#include <cstdint>

#include "rms_norm.h"

constexpr int kWarp = 32;
constexpr int kBlock = 256;  // threads a block: eight warps, each with a token
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

/// Eight floats that lie in 32 bytes: two accesses of 16.
__device__ Eight load_floats(const float* from) {
  const float4 low = reinterpret_cast<const float4*>(from)[0],
               high = reinterpret_cast<const float4*>(from)[1];
  return {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
}

/// Turns eight points: one has its first coordinate in a and its second in b.
__device__ void turn(Eight& a, Eight& b, const Eight& cosine, const Eight& sine) {
  // TODO(1): both new coordinates of a point are made of both old ones (6 lines).
  // BEGIN SOLUTION
#pragma unroll
  for (int j = 0; j < kWide; ++j) {
    const float first = a.at[j], second = b.at[j];
    a.at[j] = first * cosine.at[j] - second * sine.at[j];
    b.at[j] = second * cosine.at[j] + first * sine.at[j];
  }
  // END SOLUTION
}

__global__ void __launch_bounds__(kBlock)
    rope_kernel(__nv_bfloat16* __restrict__ out, const __nv_bfloat16* __restrict__ x,
                const int* __restrict__ position, const float* __restrict__ table, int tokens, int heads,
                int dim) {
  const std::int64_t token = static_cast<std::int64_t>(blockIdx.x) * (kBlock / kWarp) + threadIdx.x / kWarp;
  if (token >= tokens) return;
  const int half = dim / 2;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  // TODO(2): a head has `parts` pairs of vectors: vector number `part` of its first half and the one half a
  //          head further on. So a warp has room for so many heads at a time. Which one is this lane's
  //          first, and which part of it? Lanes for which a whole head has no room have nothing to do (5
  //          lines).
  // BEGIN SOLUTION
  const int parts = half / kWide;
  const int together = kWarp / parts;  // heads that the warp does at a time
  const int first = lane / parts;
  const int col = lane % parts * kWide;
  if (first >= together) return;
  // END SOLUTION
  // TODO(3): the cosines and sines of this lane's part, which are the same for each head of the token; then
  //          its heads, `together` apart: two loads, turn(), two stores (11 lines).
  // BEGIN SOLUTION
  const float* const angles = table + static_cast<std::int64_t>(position[token]) * dim;
  const Eight cosine = load_floats(angles + col), sine = load_floats(angles + half + col);
#pragma unroll 4
  for (int head = first; head < heads; head += together) {
    const std::int64_t at = (token * heads + head) * dim + col;
    Eight a = unpack(__ldcs(reinterpret_cast<const uint4*>(x + at)));
    Eight b = unpack(__ldcs(reinterpret_cast<const uint4*>(x + at + half)));
    turn(a, b, cosine, sine);
    __stcs(reinterpret_cast<uint4*>(out + at), pack(a));
    __stcs(reinterpret_cast<uint4*>(out + at + half), pack(b));
  }
  // END SOLUTION
}

cudaError_t rope(__nv_bfloat16* out, const __nv_bfloat16* x, const int* position, const float* table,
                 int tokens, int heads, int dim) {
  if (tokens == 0 || heads == 0) return cudaSuccess;
  constexpr int kTokens = kBlock / kWarp;
  rope_kernel<<<(tokens - 1) / kTokens + 1, kBlock>>>(out, x, position, table, tokens, heads, dim);
  return cudaGetLastError();
}
