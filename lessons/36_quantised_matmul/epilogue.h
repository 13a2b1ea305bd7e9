// From sums to bf16, with scales.
#pragma once

#include <cuda_bf16.h>

#include <cstddef>

#include "common/mbarrier.h"

/// Two numbers, rounded; the first is the lower half.
__device__ inline unsigned pack(float first, float second) {
  unsigned both;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(second), "f"(first));
  return both;
}

/// Scales of rows or columns from @p first on; those that do not exist are 0, and are not read.
__device__ inline float scale_at(const float* scale, int at, int count) {
  return at < count ? __ldg(scale + at) : 0.0f;
}

/// Stores 16 x 64 of a warp's results to a tile in shared memory, whose rows of 128 bytes are swizzled by 128
/// bytes, as tma_store_2d() reads them.
///
/// @param tile    where the warp's first row is; rows begin at a multiple of 1024 bytes
/// @param result  result[4 * j] to result[4 * j + 3] are this lane's of columns 8 * j to 8 * j + 7: two
///                neighbours of row lane / 4, and two of the row eight further down
__device__ inline void pack_results(__nv_bfloat16* tile, const float (&result)[32]) {
  // stmatrix is ldmatrix the other way: lane t gives the place of row t % 16, vector t / 16, of 16 x 16.
  const int row = threadIdx.x % 16, right = threadIdx.x % 32 / 16;
#pragma unroll
  for (int vec = 0; vec < 8; vec += 2) {
    const float* const r = result + vec * 4;
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                     shared_address(tile) + row * 128 + ((vec + right) ^ row % 8) * 16),
                 "r"(pack(r[0], r[1])), "r"(pack(r[2], r[3])), "r"(pack(r[4], r[5])), "r"(pack(r[6], r[7]))
                 : "memory");
  }
}
