// What rung 1 writes, for the rungs above it: tiles of keys and values, and the products with them.
#pragma once

#include "common/tma.h"
#include "common/wgmma.h"
#include "hopper_attention.h"
#include "rows.h"

constexpr int kRows = 64;              // queries of a warpgroup: a product's rows
constexpr int kKeys = 128;             // that are taken at a time
constexpr int kHalf = 64;              // columns of a box: a tile is two boxes, one behind the other
constexpr float kLog2e = 1.44269504f;  // exp(x) = 2^(x * log2 e)

/// Begins to bring kTileRows rows of a matrix: two boxes.
template <int kTileRows>
__device__ void fetch(__nv_bfloat16* tile, const CUtensorMap& map, int row, std::uint64_t* full) {
  tma_load_2d(tile, map, 0, row, full);
  tma_load_2d(tile + kTileRows * kHalf, map, kHalf, row, full);
}

/// score = Q * K^T. Under way behind the call.
__device__ inline void multiply_keys(float (&score)[kKeys / 2], const __nv_bfloat16* q,
                                     const __nv_bfloat16* k) {
#pragma unroll
  for (int d = 0; d < kDim / 16; ++d)
    wgmma_m64n128k16(score, wgmma_descriptor(q + d / 4 * kRows * kHalf) + 2 * (d % 4),
                     wgmma_descriptor(k + d / 4 * kKeys * kHalf) + 2 * (d % 4), d > 0);
}

/// result += weights * V. Under way behind the call.
__device__ inline void multiply_values(float (&result)[kDim / 2], const unsigned (&weight)[kKeys / 4],
                                       const __nv_bfloat16* v) {
  constexpr int kBoxBytes = kKeys * kHalf * sizeof(__nv_bfloat16);
  constexpr int kSixteenRows = 16 * kHalf * sizeof(__nv_bfloat16) / 16;  // in a descriptor's units
#pragma unroll
  for (int n = 0; n < kKeys / 16; ++n)
    wgmma_m64n128k16_registers(result, &weight[4 * n], wgmma_descriptor(v, kBoxBytes) + n * kSixteenRows, 1);
}

/// Rounds the weights of 64 x kKeys to the second product's first factor.
__device__ inline void to_weights(unsigned (&weight)[kKeys / 4], const float (&score)[kKeys / 2]) {
#pragma unroll
  for (int i = 0; i < kKeys / 4; ++i) weight[i] = pack(score[2 * i], score[2 * i + 1]);
}

/// Hides keys of a tile that begins with key0: those from seen[r] on from the thread's row r.
__device__ inline void hide(float (&score)[kKeys / 2], int key0, const int (&seen)[2]) {
#pragma unroll
  for (int i = 0; i < kKeys / 2; ++i) {
    const int key = key0 + i / 4 * 8 + threadIdx.x % 4 * 2 + i % 2;
    if (key >= seen[i / 2 % 2]) score[i] = -INFINITY;
  }
}
