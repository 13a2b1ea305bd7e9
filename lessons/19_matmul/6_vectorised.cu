// Rung 6: 16 bytes an access, to memory and to shared memory. For that, a's tile is stored turned around.
#include "matmul.h"
#include "quad.h"

constexpr int kTile = 128;                   // a block covers 128 x 128 elements of c
constexpr int kDepth = 8;                    // and takes k in steps of 8
constexpr int kEach = 8;                     // a thread has 8 x 8 sums
constexpr int kAcross = kTile / kEach;       // 16 threads take a row of the block
constexpr int kThreads = kAcross * kAcross;  // 256: each brings in four neighbours of a, and four of b
// Lanes 2r and 2r + 1 store row r of a, 4 rows of a_tile apart: with this padding, 4 * 132 % 32 = 16 banks.
constexpr int kPad = 4;

template <bool kAligned>
__global__ void __launch_bounds__(kThreads)
    matmul_kernel(float* c, const float* a, const float* b, int m, int n, int k) {
  __shared__ alignas(16) float a_tile[kDepth][kTile + kPad];  // turned around: a_tile[l][i] is a's (i, l)
  __shared__ alignas(16) float b_tile[kDepth][kTile];
  const int tiles_across = (n + kTile - 1) / kTile;
  const int row0 = blockIdx.x / tiles_across * kTile;  // the block's first row and column in c
  const int col0 = blockIdx.x % tiles_across * kTile;
  const int row = threadIdx.x / kAcross * kEach;  // this thread's first sum, within the block
  const int col = threadIdx.x % kAcross * kEach;

  // What this thread brings in: 2 threads a row of a's tile, 32 a row of b's.
  const int a_row = threadIdx.x / (kDepth / 4), a_col = threadIdx.x % (kDepth / 4) * 4;
  const int b_row = threadIdx.x / (kTile / 4), b_col = threadIdx.x % (kTile / 4) * 4;

  float sum[kEach][kEach] = {};  // 64 registers
  for (int k0 = 0; k0 < k; k0 += kDepth) {
    const float4 a_quad = load_quad<kAligned>(a, row0 + a_row, k0 + a_col, m, k);
    const float4 b_quad = load_quad<kAligned>(b, k0 + b_row, col0 + b_col, k, n);
    // TODO(1): put them into the tiles: a's four into column a_row of rows a_col to a_col + 3 of a_tile,
    //          b's by one access of 16 bytes, that is by a cast to float4* (5 lines).
    __syncthreads();  // the tiles are there before anybody reads them

#pragma unroll
    for (int l = 0; l < kDepth; ++l) {
      alignas(16) float a_part[kEach], b_part[kEach];
      // TODO(2): read both, each by two accesses of 16 bytes (6 lines).
#pragma unroll
      for (int i = 0; i < kEach; ++i)
#pragma unroll
        for (int j = 0; j < kEach; ++j) sum[i][j] += a_part[i] * b_part[j];
    }
    __syncthreads();  // all have read before anybody overwrites
  }

#pragma unroll
  for (int i = 0; i < kEach; ++i)
#pragma unroll
    for (int j = 0; j < kEach; j += 4)
      store_quad<kAligned>(c, row0 + row + i, col0 + col + j, m, n,
                           {sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]});
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
