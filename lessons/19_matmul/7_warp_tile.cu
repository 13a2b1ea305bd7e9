// Rung 7: each warp takes a compact piece of the block's tile, and reads few words, side by side.
#include "matmul.h"
#include "quad.h"

constexpr int kTile = 128;                                 // a block covers 128 x 128 elements of c
constexpr int kDepth = 8;                                  // and takes k in steps of 8
constexpr int kEach = 8;                                   // a thread has 8 x 8 sums: four groups of 4 x 4
constexpr int kThreads = kTile * kTile / (kEach * kEach);  // 256: each brings in four of a and four of b
// Lanes 2r and 2r + 1 store row r of a, 4 rows of a_tile apart: with this padding, 4 * 132 % 32 = 16 banks.
constexpr int kPad = 4;

constexpr int kWarpRows = 64, kWarpCols = 32;  // of c, that a warp covers: 2 x 4 warps a block
constexpr int kLaneRows = 8, kLaneCols = 4;    // lanes of a warp, one below the other and side by side
constexpr int kRowStep = kLaneRows * 4;        // from a lane's first four rows to its next four
constexpr int kColStep = kLaneCols * 4;        // from its first four columns to its next four

template <bool kAligned>
__global__ void __launch_bounds__(kThreads)
    matmul_kernel(float* c, const float* a, const float* b, int m, int n, int k) {
  __shared__ alignas(16) float a_tile[kDepth][kTile + kPad];  // turned around: a_tile[l][i] is a's (i, l)
  __shared__ alignas(16) float b_tile[kDepth][kTile];
  const int tiles_across = (n + kTile - 1) / kTile;
  const int row0 = blockIdx.x / tiles_across * kTile;  // the block's first row and column in c
  const int col0 = blockIdx.x % tiles_across * kTile;

  // TODO(1): where in the block is this thread's first group of 4 x 4 sums? The warps lie side by side,
  //          kTile / kWarpCols of them in a row, and so do the lanes within the warp's first kRowStep x
  //          kColStep elements, kLaneCols in a row (3 lines).

  // What this thread brings in: 2 threads a row of a's tile, 32 a row of b's.
  const int a_row = threadIdx.x / (kDepth / 4), a_col = threadIdx.x % (kDepth / 4) * 4;
  const int b_row = threadIdx.x / (kTile / 4), b_col = threadIdx.x % (kTile / 4) * 4;

  float sum[kEach][kEach] = {};  // 64 registers
  for (int k0 = 0; k0 < k; k0 += kDepth) {
    const float4 a_quad = load_quad<kAligned>(a, row0 + a_row, k0 + a_col, m, k);
    const float4 b_quad = load_quad<kAligned>(b, k0 + b_row, col0 + b_col, k, n);
    a_tile[a_col][a_row] = a_quad.x;
    a_tile[a_col + 1][a_row] = a_quad.y;
    a_tile[a_col + 2][a_row] = a_quad.z;
    a_tile[a_col + 3][a_row] = a_quad.w;
    *reinterpret_cast<float4*>(&b_tile[b_row][b_col]) = b_quad;
    __syncthreads();  // the tiles are there before anybody reads them

#pragma unroll
    for (int l = 0; l < kDepth; ++l) {
      alignas(16) float a_part[kEach], b_part[kEach];
      // TODO(2): as in rung 6, but the second four rows lie kRowStep below the first four, and the second
      //          four columns kColStep to their right (6 lines).
#pragma unroll
      for (int i = 0; i < kEach; ++i)
#pragma unroll
        for (int j = 0; j < kEach; ++j) sum[i][j] += a_part[i] * b_part[j];
    }
    __syncthreads();  // all have read before anybody overwrites
  }

  // TODO(3): store the sums, four neighbours at a time, where they belong (6 lines).
}

cudaError_t matmul(float* c, const float* a, const float* b, int m, int n, int k) {
  if (m == 0 || n == 0) return cudaSuccess;
  const unsigned tiles_down = (m + kTile - 1) / kTile, tiles_across = (n + kTile - 1) / kTile;
  if (rows_aligned(c, a, b, n, k))
    matmul_kernel<true><<<tiles_down * tiles_across, kThreads>>>(c, a, b, m, n, k);
  else
    matmul_kernel<false><<<tiles_down * tiles_across, kThreads>>>(c, a, b, m, n, k);
  return cudaGetLastError();
}
