// Blank page: each head of the queries or keys is normalised and turned in one pass.
#include <cstdint>

#include "blank_page.h"

// TODO(1): qk_norm_rope(), whose contract is in blank_page.h: the kernel, any functions that you want it to
//          call, and the launch (about 90 lines).
// BEGIN SOLUTION
constexpr int kWarp = 32;
constexpr int kBlock = 256;                 // threads a block: eight warps, each with a token
constexpr int kWide = 8;                    // bf16 in 16 bytes, the widest access a thread has
constexpr unsigned kAllLanes = 0xffffffff;  // a bit for each lane of the warp

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

__device__ float sum_of_squares(const Eight& value) {
  float sum = 0;
#pragma unroll
  for (int j = 0; j < kWide; ++j) sum += value.at[j] * value.at[j];
  return sum;
}

__device__ void scale_by(Eight& value, float scale, const Eight& weight) {
#pragma unroll
  for (int j = 0; j < kWide; ++j) value.at[j] *= scale * weight.at[j];
}

/// Turns eight points: one has its first coordinate in a and its second in b.
__device__ void turn(Eight& a, Eight& b, const Eight& cosine, const Eight& sine) {
#pragma unroll
  for (int j = 0; j < kWide; ++j) {
    const float first = a.at[j], second = b.at[j];
    a.at[j] = first * cosine.at[j] - second * sine.at[j];
    b.at[j] = second * cosine.at[j] + first * sine.at[j];
  }
}

/// A warp a token; dim / 16 lanes, a power of two, share a head and hold two vectors of it each.
__global__ void __launch_bounds__(kBlock)
    qk_norm_rope_kernel(__nv_bfloat16* __restrict__ out, const __nv_bfloat16* __restrict__ x,
                        const __nv_bfloat16* __restrict__ weight, const int* __restrict__ position,
                        const float* __restrict__ table, float epsilon, int tokens, int heads, int dim) {
  const std::int64_t token = static_cast<std::int64_t>(blockIdx.x) * (kBlock / kWarp) + threadIdx.x / kWarp;
  if (token >= tokens) return;  // the whole warp: the sums below miss no lane
  const int half = dim / 2, parts = half / kWide, together = kWarp / parts;
  const int lane = static_cast<int>(threadIdx.x) % kWarp, col = lane % parts * kWide;
  const float* const angles = table + static_cast<std::int64_t>(position[token]) * dim;
  const Eight cosine = load_floats(angles + col), sine = load_floats(angles + half + col);
  const Eight weight_a = unpack(*reinterpret_cast<const uint4*>(weight + col));
  const Eight weight_b = unpack(*reinterpret_cast<const uint4*>(weight + half + col));
  for (int base = 0; base < heads; base += together) {  // as often for every lane
    const int head = base + lane / parts;
    const std::int64_t at = (token * heads + head) * dim + col;
    uint4 low{}, high{};
    if (head < heads) {
      low = __ldcs(reinterpret_cast<const uint4*>(x + at));
      high = __ldcs(reinterpret_cast<const uint4*>(x + at + half));
    }
    Eight a = unpack(low), b = unpack(high);
    float sum = sum_of_squares(a) + sum_of_squares(b);
    for (int lanes = parts / 2; lanes > 0; lanes /= 2) sum += __shfl_xor_sync(kAllLanes, sum, lanes);
    const float scale = rsqrtf(sum / static_cast<float>(dim) + epsilon);
    scale_by(a, scale, weight_a);
    scale_by(b, scale, weight_b);
    turn(a, b, cosine, sine);
    if (head < heads) {
      __stcs(reinterpret_cast<uint4*>(out + at), pack(a));
      __stcs(reinterpret_cast<uint4*>(out + at + half), pack(b));
    }
  }
}

cudaError_t qk_norm_rope(__nv_bfloat16* out, const __nv_bfloat16* x, const __nv_bfloat16* weight,
                         const int* position, const float* table, float epsilon, int tokens, int heads,
                         int dim) {
  if (tokens == 0 || heads == 0) return cudaSuccess;
  constexpr int kTokens = kBlock / kWarp;
  qk_norm_rope_kernel<<<(tokens - 1) / kTokens + 1, kBlock>>>(out, x, weight, position, table, epsilon,
                                                              tokens, heads, dim);
  return cudaGetLastError();
}
// END SOLUTION
