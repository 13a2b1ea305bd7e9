// Rung 5: 8 x 8 sums a thread. Sixteen elements read give sixty-four products.
#include "matmul.h"

constexpr int kTile = 128;                   // a block covers 128 x 128 elements of c
constexpr int kDepth = 8;                    // and takes k in steps of 8
constexpr int kEach = 8;                     // a thread has 8 x 8 sums
constexpr int kAcross = kTile / kEach;       // 16 threads take a row of the block
constexpr int kThreads = kAcross * kAcross;  // 256

__global__ void __launch_bounds__(kThreads)
    matmul_kernel(float* c, const float* a, const float* b, int m, int n, int k) {
  __shared__ float a_tile[kTile][kDepth];
  __shared__ float b_tile[kDepth][kTile];
  const int tiles_across = (n + kTile - 1) / kTile;
  const int row0 = blockIdx.x / tiles_across * kTile;  // the block's first row and column in c
  const int col0 = blockIdx.x % tiles_across * kTile;
  const int row = threadIdx.x / kAcross * kEach;  // this thread's first sum, within the block
  const int col = threadIdx.x % kAcross * kEach;

  float sum[kEach][kEach] = {};  // 64 registers
  for (int k0 = 0; k0 < k; k0 += kDepth) {
    // A tile has more elements than the block has threads: each brings in four.
#pragma unroll
    for (int i = threadIdx.x; i < kTile * kDepth; i += kThreads) {
      const int a_row = row0 + i / kDepth, a_col = k0 + i % kDepth;
      const int b_row = k0 + i / kTile, b_col = col0 + i % kTile;
      a_tile[i / kDepth][i % kDepth] =
          a_row < m && a_col < k ? a[static_cast<std::size_t>(a_row) * k + a_col] : 0;
      b_tile[i / kTile][i % kTile] =
          b_row < k && b_col < n ? b[static_cast<std::size_t>(b_row) * n + b_col] : 0;
    }
    __syncthreads();  // the tiles are there before anybody reads them

#pragma unroll
    for (int l = 0; l < kDepth; ++l) {
      // TODO(1): read the step's elements of a in this thread's rows and of b in its columns into two arrays,
      //          then add all their products, all loops unrolled (9 lines).
    }
    __syncthreads();  // all have read before anybody overwrites
  }

#pragma unroll
  for (int i = 0; i < kEach; ++i)
#pragma unroll
    for (int j = 0; j < kEach; ++j) {
      const int c_row = row0 + row + i, c_col = col0 + col + j;
      if (c_row < m && c_col < n) c[static_cast<std::size_t>(c_row) * n + c_col] = sum[i][j];
    }
}

cudaError_t matmul(float* c, const float* a, const float* b, int m, int n, int k) {
  if (m == 0 || n == 0) return cudaSuccess;
  const unsigned tiles_down = (m + kTile - 1) / kTile, tiles_across = (n + kTile - 1) / kTile;
  matmul_kernel<<<tiles_down * tiles_across, kThreads>>>(c, a, b, m, n, k);
  return cudaGetLastError();
}
