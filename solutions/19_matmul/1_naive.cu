// Rung 1: a thread for each element of c. Neighbouring threads take neighbouring rows.
#include "matmul.h"

constexpr int BM = 32, BN = 32;    // of c, that a block covers
constexpr int kThreads = BM * BN;  // one for each element: 1024 is the most a block has

__global__ void matmul_kernel(float* c, const float* a, const float* b, int m, int n, int k) {
  // Blocks are numbered along one axis, for a grid has up to 2^31 - 1 blocks in x but only 65535 in y.
  const int tiles_across = (n + BN - 1) / BN;
  const int row0 = blockIdx.x / tiles_across * BM;  // the block's first row and column in c
  const int col0 = blockIdx.x % tiles_across * BN;
  // TODO(1): which sum of the tile has this thread? Threads whose threadIdx.x are neighbours take
  //          neighbouring rows of one column. If there is such an element of c, add up the products of a's
  //          row and b's column, and store the sum. m * k may exceed what an int holds, so compute places in
  //          std::size_t (8 lines).
  // BEGIN SOLUTION
  const int row = row0 + threadIdx.x % BM;
  const int col = col0 + threadIdx.x / BM;
  if (row < m && col < n) {
    float sum = 0;
    for (int l = 0; l < k; ++l)
      sum += a[static_cast<std::size_t>(row) * k + l] * b[static_cast<std::size_t>(l) * n + col];
    c[static_cast<std::size_t>(row) * n + col] = sum;
  }
  // END SOLUTION
}

cudaError_t matmul(float* c, const float* a, const float* b, int m, int n, int k) {
  if (m == 0 || n == 0) return cudaSuccess;
  // TODO(2): launch a block for each tile of c. The kernel counts them row by row, along x; the last ones of
  //          a row and of a column may hang over the edge (3 lines).
  // BEGIN SOLUTION
  const unsigned tiles_down = (m + BM - 1) / BM;
  const unsigned tiles_across = (n + BN - 1) / BN;
  matmul_kernel<<<tiles_down * tiles_across, kThreads>>>(c, a, b, m, n, k);
  // END SOLUTION
  return cudaGetLastError();
}
