// Rung 4: eight sums a thread, one below the other: an element of b, once in a register, is used eight times.
#include "matmul.h"

constexpr int kTileRows = 64, kTileCols = 64;  // of c, that a block covers
constexpr int kDepth = 8;                      // and takes k in steps of 8: an element of each tile a thread
constexpr int kRows = 8;                       // sums of a thread, in one column
constexpr int kThreads = kTileRows * kTileCols / kRows;  // 512

__global__ void matmul_kernel(float* c, const float* a, const float* b, int m, int n, int k) {
  __shared__ float a_tile[kTileRows][kDepth];  // the rows of a that the block needs, a step's columns
  __shared__ float b_tile[kDepth][kTileCols];  // the rows of b that belong to them, the block's columns
  // Blocks are numbered along one axis, for a grid has up to 2^31 - 1 blocks in x but only 65535 in y.
  const int tiles_across = (n + kTileCols - 1) / kTileCols;
  const int row0 = blockIdx.x / tiles_across * kTileRows;  // the block's first row and column in c
  const int col0 = blockIdx.x % tiles_across * kTileCols;
  const int row = threadIdx.x / kTileCols * kRows;  // this thread's first sum, within the block
  const int col = threadIdx.x % kTileCols;

  float sum[kRows] = {};  // in registers, as long as the loops over it are unrolled
  for (int k0 = 0; k0 < k; k0 += kDepth) {
    // All threads bring in both tiles, whichever sums they have.
#pragma unroll
    for (int first = 0; first < kTileRows * kDepth; first += kThreads) {
      const int i = first + threadIdx.x;
      const int a_row = i / kDepth, a_col = i % kDepth;        // the place of element i in a's tile
      const int b_row = i / kTileCols, b_col = i % kTileCols;  // and in b's
      a_tile[a_row][a_col] =
          row0 + a_row < m && k0 + a_col < k ? a[static_cast<std::size_t>(row0 + a_row) * k + k0 + a_col] : 0;
      b_tile[b_row][b_col] =
          k0 + b_row < k && col0 + b_col < n ? b[static_cast<std::size_t>(k0 + b_row) * n + col0 + b_col] : 0;
    }
    __syncthreads();  // the tiles are there before anybody reads them
#pragma unroll
    for (int l = 0; l < kDepth; ++l) {
      // TODO(1): read b's element of this step once, and add its products with a's elements in the kRows
      //          rows from `row` on. Unroll the loop over them (3 lines).
    }
    __syncthreads();  // all have read before anybody overwrites
  }

  // TODO(2): store the sums, those of them that lie within c (4 lines).
}

cudaError_t matmul(float* c, const float* a, const float* b, int m, int n, int k) {
  if (m == 0 || n == 0) return cudaSuccess;
  const unsigned tiles_down = (m + kTileRows - 1) / kTileRows;
  const unsigned tiles_across = (n + kTileCols - 1) / kTileCols;
  matmul_kernel<<<tiles_down * tiles_across, kThreads>>>(c, a, b, m, n, k);
  return cudaGetLastError();
}
