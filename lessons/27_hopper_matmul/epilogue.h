// From a warp's sums to bf16, in c or in shared memory.
#pragma once

#include <cuda_bf16.h>

#include <cstddef>

#include "common/mbarrier.h"

/// Two sums, rounded; the first is the lower half.
__device__ inline unsigned pack(float first, float second) {
  unsigned both;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(second), "f"(first));
  return both;
}

/// Stores a warp's 16 rows of sums to c. What c does not have is dropped.
///
/// @param sum      sum[4 * j] to sum[4 * j + 3] are this lane's of columns 8 * j to 8 * j + 7: two neighbours
///                 of row lane / 4, and two of the row eight further down
/// @param row,col  the first of the warp's, in c
/// @param m,n      rows and columns of c; n is a multiple of 8
template <int kSums>
__device__ void store_sums(__nv_bfloat16* c, const float (&sum)[kSums], int row, int col, int m, int n) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int j = 0; j < kSums / 4; ++j)
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int c_row = row + lane / 4 + half * 8, c_col = col + j * 8 + lane % 4 * 2;
      if (c_row < m && c_col < n)
        *reinterpret_cast<unsigned*>(c + static_cast<std::size_t>(c_row) * n + c_col) =
            pack(sum[4 * j + 2 * half], sum[4 * j + 2 * half + 1]);
    }
}

/// Stores 16 x 64 of a warp's sums to a tile in shared memory, whose rows of 128 bytes are swizzled by 128
/// bytes, as tma_store_2d() reads them.
///
/// @param tile  where the warp's first row is; rows begin at a multiple of 1024 bytes
/// @param sum   of the tile's 64 columns, as above
__device__ inline void pack_sums(__nv_bfloat16* tile, const float* sum) {
  // stmatrix is ldmatrix the other way: lane t gives the place of row t % 16, vector t / 16, of 16 x 16.
  const int row = threadIdx.x % 16, right = threadIdx.x % 32 / 16;
#pragma unroll
  for (int vec = 0; vec < 8; vec += 2, sum += 8)
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                     shared_address(tile) + row * 128 + ((vec + right) ^ row % 8) * 16),
                 "r"(pack(sum[0], sum[1])), "r"(pack(sum[2], sum[3])), "r"(pack(sum[4], sum[5])),
                 "r"(pack(sum[6], sum[7]))
                 : "memory");
}
