// Rung 4: eight sums a thread, one below the other: an element of b, once in a register, is used eight times.
#include "matmul.h"

constexpr int BM = 64, BN = 64;         // of c, that a block covers
constexpr int BK = 8;                   // and takes k in steps of 8: an element of each tile a thread
constexpr int TM = 8;                   // sums of a thread, in one column
constexpr int kThreads = BM * BN / TM;  // 512

__global__ void matmul_kernel(float* c, const float* a, const float* b, int m, int n, int k) {
  __shared__ float a_tile[BM][BK];  // the rows of a that the block needs, a step's columns
  __shared__ float b_tile[BK][BN];  // the rows of b that belong to them, the block's columns
  // Blocks are numbered along one axis, for a grid has up to 2^31 - 1 blocks in x but only 65535 in y.
  const int tiles_across = (n + BN - 1) / BN;
  const int row0 = blockIdx.x / tiles_across * BM;  // the block's first row and column in c
  const int col0 = blockIdx.x % tiles_across * BN;
  // TODO(1): which sums has this thread? TM below each other, beginning with (row, col) of the block's tile;
  //          the lanes of a warp have neighbouring columns (2 lines).

  float sum[TM] = {};  // in registers, as long as the loops over it are unrolled
  for (int k0 = 0; k0 < k; k0 += BK) {
    // All threads bring in both tiles, whichever sums they have.
#pragma unroll
    for (int first = 0; first < BM * BK; first += kThreads) {
      const int i = first + threadIdx.x;
      const int a_row = i / BK, a_col = i % BK;  // the place of element i in a's tile
      const int b_row = i / BN, b_col = i % BN;  // and in b's
      a_tile[a_row][a_col] =
          row0 + a_row < m && k0 + a_col < k ? a[static_cast<std::size_t>(row0 + a_row) * k + k0 + a_col] : 0;
      b_tile[b_row][b_col] =
          k0 + b_row < k && col0 + b_col < n ? b[static_cast<std::size_t>(k0 + b_row) * n + col0 + b_col] : 0;
    }
    // TODO(2): add up the products of the two tiles. In each step l read b's element once, and use it for a's
    //          elements in the TM rows from `row` on. Unroll both loops, so that sum stays in registers; and
    //          mind both barriers (8 lines).
  }

  // TODO(3): store the sums, those of them that lie within c (4 lines).
}

cudaError_t matmul(float* c, const float* a, const float* b, int m, int n, int k) {
  if (m == 0 || n == 0) return cudaSuccess;
  const unsigned tiles_down = (m + BM - 1) / BM;
  const unsigned tiles_across = (n + BN - 1) / BN;
  matmul_kernel<<<tiles_down * tiles_across, kThreads>>>(c, a, b, m, n, k);
  return cudaGetLastError();
}
