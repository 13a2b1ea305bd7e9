// Rung 3: what a block reads from memory, it reads once, into shared memory, where all its threads use it.
#include "matmul.h"

constexpr int BM = 32, BN = 32;    // of c, that a block covers
constexpr int BK = 32;             // and takes k in steps of 32
constexpr int kThreads = BM * BN;  // one for each element: 1024 is the most a block has

__global__ void matmul_kernel(float* c, const float* a, const float* b, int m, int n, int k) {
  __shared__ float a_tile[BM][BK];  // the rows of a that the block needs, a step's columns
  __shared__ float b_tile[BK][BN];  // the rows of b that belong to them, the block's columns
  // Blocks are numbered along one axis, for a grid has up to 2^31 - 1 blocks in x but only 65535 in y.
  const int tiles_across = (n + BN - 1) / BN;
  const int row0 = blockIdx.x / tiles_across * BM;  // the block's first row and column in c
  const int col0 = blockIdx.x % tiles_across * BN;
  const int row = threadIdx.x / BN;  // this thread's sum, within the block
  const int col = threadIdx.x % BN;

  float sum = 0;
  for (int k0 = 0; k0 < k; k0 += BK) {
    // TODO(1): all threads bring in both tiles, whichever sums they have: a tile has BM * BK elements, and
    //          the block so many threads that one round is enough here; write a loop that is right for any
    //          sizes. Element i of a tile is in its row i / width. Where the matrix has ended, in either
    //          direction, the tile holds 0, which adds nothing (10 lines).
    // BEGIN SOLUTION
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
    // END SOLUTION

    // TODO(2): add up the products of the tiles' elements that belong to this thread's sum. What has to
    //          happen before anybody reads the tiles, and what before the next step overwrites them (3
    //          lines)?
    // BEGIN SOLUTION
    __syncthreads();  // the tiles are there before anybody reads them
    for (int l = 0; l < BK; ++l) sum += a_tile[row][l] * b_tile[l][col];
    __syncthreads();  // all have read before anybody overwrites
    // END SOLUTION
  }
  // TODO(3): store the sum, if it is one of c (1 line).
  // BEGIN SOLUTION
  if (row0 + row < m && col0 + col < n) c[static_cast<std::size_t>(row0 + row) * n + col0 + col] = sum;
  // END SOLUTION
}

cudaError_t matmul(float* c, const float* a, const float* b, int m, int n, int k) {
  if (m == 0 || n == 0) return cudaSuccess;
  const unsigned tiles_down = (m + BM - 1) / BM;
  const unsigned tiles_across = (n + BN - 1) / BN;
  matmul_kernel<<<tiles_down * tiles_across, kThreads>>>(c, a, b, m, n, k);
  return cudaGetLastError();
}
