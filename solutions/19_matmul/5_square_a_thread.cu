// Rung 5: 8 x 8 sums a thread. Sixteen elements read give sixty-four products.
#include "matmul.h"

constexpr int BM = 128, BN = 128;              // of c, that a block covers
constexpr int BK = 8;                          // and takes k in steps of 8
constexpr int TM = 8, TN = 8;                  // sums of a thread
constexpr int kThreads = BM * BN / (TM * TN);  // 256
constexpr int kBlocks = 2;  // a multiprocessor shall hold: 65536 / (2 * 256) = 128 registers a thread

__global__ void __launch_bounds__(kThreads, kBlocks)
    matmul_kernel(float* c, const float* a, const float* b, int m, int n, int k) {
  __shared__ float a_tile[BM][BK];  // the rows of a that the block needs, a step's columns
  __shared__ float b_tile[BK][BN];  // the rows of b that belong to them, the block's columns
  // Blocks are numbered along one axis, for a grid has up to 2^31 - 1 blocks in x but only 65535 in y.
  const int tiles_across = (n + BN - 1) / BN;
  const int row0 = blockIdx.x / tiles_across * BM;  // the block's first row and column in c
  const int col0 = blockIdx.x % tiles_across * BN;
  // TODO(1): which sums has this thread? A square of TM x TN, beginning with (row, col) of the block's tile;
  //          the squares of neighbouring threads lie side by side (2 lines).
  // BEGIN SOLUTION
  const int row = threadIdx.x / (BN / TN) * TM;  // this thread's first sum, within the block
  const int col = threadIdx.x % (BN / TN) * TN;
  // END SOLUTION

  float a_part[TM], b_part[TN];  // the factors of one step
  const auto read = [&](int l) {
    // TODO(2): read step l's elements of a in this thread's rows and of b in its columns (2 lines). The
    //          compiler unrolls loops of a length that it knows, so the arrays stay in registers.
    // BEGIN SOLUTION
    for (int i = 0; i < TM; ++i) a_part[i] = a_tile[row + i][l];
    for (int j = 0; j < TN; ++j) b_part[j] = b_tile[l][col + j];
    // END SOLUTION
  };
  float sum[TM][TN] = {};  // 64 registers
  const auto multiply = [&] {
    // TODO(3): add all their products to the sums (2 lines).
    // BEGIN SOLUTION
    for (int i = 0; i < TM; ++i)
      for (int j = 0; j < TN; ++j) sum[i][j] += a_part[i] * b_part[j];
    // END SOLUTION
  };

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
    __syncthreads();  // the tiles are there before anybody reads them
#pragma unroll
    for (int l = 0; l < BK; ++l) {
      read(l);
      multiply();
    }
    __syncthreads();  // all have read before anybody overwrites
  }

  // TODO(4): store the sums, those of them that lie within c. Unroll both loops, so that no index into sum is
  //          computed when the kernel runs (6 lines).
  // BEGIN SOLUTION
#pragma unroll
  for (int i = 0; i < TM; ++i)
#pragma unroll
    for (int j = 0; j < TN; ++j)
      if (row0 + row + i < m && col0 + col + j < n)
        c[static_cast<std::size_t>(row0 + row + i) * n + col0 + col + j] = sum[i][j];
  // END SOLUTION
}

cudaError_t matmul(float* c, const float* a, const float* b, int m, int n, int k) {
  if (m == 0 || n == 0) return cudaSuccess;
  const unsigned tiles_down = (m + BM - 1) / BM;
  const unsigned tiles_across = (n + BN - 1) / BN;
  matmul_kernel<<<tiles_down * tiles_across, kThreads>>>(c, a, b, m, n, k);
  return cudaGetLastError();
}
