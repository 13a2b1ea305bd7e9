// Rung 2: neighbouring threads take neighbouring columns, so that a warp reads and writes along rows.
#include "matmul.h"

constexpr int BM = 32, BN = 32;    // of c, that a block covers
constexpr int kThreads = BM * BN;  // one for each element: 1024 is the most a block has

__global__ void matmul_kernel(float* c, const float* a, const float* b, int m, int n, int k) {
  // Blocks are numbered along one axis, for a grid has up to 2^31 - 1 blocks in x but only 65535 in y.
  const int tiles_across = (n + BN - 1) / BN;
  const int row0 = blockIdx.x / tiles_across * BM;  // the block's first row and column in c
  const int col0 = blockIdx.x % tiles_across * BN;
  // TODO(1): as in rung 1, but let the lanes of a warp, whose threadIdx.x are neighbours, have the same row
  //          and neighbouring columns. Then add up and store as in rung 1, if there is such an element (8
  //          lines).
}

cudaError_t matmul(float* c, const float* a, const float* b, int m, int n, int k) {
  if (m == 0 || n == 0) return cudaSuccess;
  const unsigned tiles_down = (m + BM - 1) / BM;
  const unsigned tiles_across = (n + BN - 1) / BN;
  matmul_kernel<<<tiles_down * tiles_across, kThreads>>>(c, a, b, m, n, k);
  return cudaGetLastError();
}
