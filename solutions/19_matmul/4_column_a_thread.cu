// Rung 4: eight sums a thread, one below the other: an element of b, once in a register, is used eight times.
#include "matmul.h"

constexpr int kTile = 64;  // a block covers 64 x 64 elements of c
constexpr int kDepth = 8;  // and takes k in steps of 8, so that the tiles have one element for each thread
constexpr int kEach = 8;   // sums a thread has, in one column
constexpr int kThreads = kTile * kTile / kEach;  // 512

__global__ void matmul_kernel(float* c, const float* a, const float* b, int m, int n, int k) {
  __shared__ float a_tile[kTile][kDepth];
  __shared__ float b_tile[kDepth][kTile];
  const int tiles_across = (n + kTile - 1) / kTile;
  const int row0 = blockIdx.x / tiles_across * kTile;  // the block's first row and column in c
  const int col0 = blockIdx.x % tiles_across * kTile;
  const int row = threadIdx.x / kTile * kEach;  // this thread's first sum, within the block
  const int col = threadIdx.x % kTile;

  // What this thread brings in: 8 threads a row of a's tile, 64 a row of b's.
  const int a_row = threadIdx.x / kDepth, a_col = threadIdx.x % kDepth;
  const int b_row = threadIdx.x / kTile, b_col = threadIdx.x % kTile;

  float sum[kEach] = {};  // in registers, as long as the loops over it are unrolled
  for (int k0 = 0; k0 < k; k0 += kDepth) {
    a_tile[a_row][a_col] =
        row0 + a_row < m && k0 + a_col < k ? a[static_cast<std::size_t>(row0 + a_row) * k + k0 + a_col] : 0;
    b_tile[b_row][b_col] =
        k0 + b_row < k && col0 + b_col < n ? b[static_cast<std::size_t>(k0 + b_row) * n + col0 + b_col] : 0;
    __syncthreads();  // the tiles are there before anybody reads them

    for (int l = 0; l < kDepth; ++l) {
      // TODO(1): read b's element of this step once, and add its products with a's elements in the kEach
      //          rows from `row` on. Unroll the loop over them (3 lines).
      // BEGIN SOLUTION
      const float factor = b_tile[l][col];
#pragma unroll
      for (int i = 0; i < kEach; ++i) sum[i] += a_tile[row + i][l] * factor;
      // END SOLUTION
    }
    __syncthreads();  // all have read before anybody overwrites
  }

  // TODO(2): store the sums, those of them that lie within c (3 lines).
  // BEGIN SOLUTION
#pragma unroll
  for (int i = 0; i < kEach; ++i)
    if (row0 + row + i < m && col0 + col < n)
      c[static_cast<std::size_t>(row0 + row + i) * n + col0 + col] = sum[i];
  // END SOLUTION
}

cudaError_t matmul(float* c, const float* a, const float* b, int m, int n, int k) {
  if (m == 0 || n == 0) return cudaSuccess;
  const unsigned tiles_down = (m + kTile - 1) / kTile, tiles_across = (n + kTile - 1) / kTile;
  matmul_kernel<<<tiles_down * tiles_across, kThreads>>>(c, a, b, m, n, k);
  return cudaGetLastError();
}
