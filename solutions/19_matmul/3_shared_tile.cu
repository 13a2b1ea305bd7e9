// Rung 3: what a block reads from memory, it reads once, into shared memory, where all its threads use it.
#include "matmul.h"

constexpr int kTile = 32;  // a block covers 32 x 32 elements of c, and takes k in steps of 32

__global__ void matmul_kernel(float* c, const float* a, const float* b, int m, int n, int k) {
  __shared__ float a_tile[kTile][kTile];  // 32 rows of a, 32 of their k columns
  __shared__ float b_tile[kTile][kTile];  // the 32 rows of b that belong to them, 32 columns
  const int tiles_across = (n + kTile - 1) / kTile;
  const int row = blockIdx.x / tiles_across * kTile + threadIdx.y;
  const int col = blockIdx.x % tiles_across * kTile + threadIdx.x;

  float sum = 0;
  for (int k0 = 0; k0 < k; k0 += kTile) {
    // TODO(1): bring in one element of each tile, where a thread of the block finds it along a row. Where the
    //          matrix has ended, in either direction, the tile holds 0, which adds nothing (4 lines).
    // BEGIN SOLUTION
    const int a_col = k0 + threadIdx.x, b_row = k0 + threadIdx.y;
    a_tile[threadIdx.y][threadIdx.x] =
        row < m && a_col < k ? a[static_cast<std::size_t>(row) * k + a_col] : 0;
    b_tile[threadIdx.y][threadIdx.x] =
        b_row < k && col < n ? b[static_cast<std::size_t>(b_row) * n + col] : 0;
    __syncthreads();  // the tiles are there before anybody reads them
    // END SOLUTION

    // TODO(2): add up the products of the tiles' elements that belong to this thread's sum. What has to
    //          happen before the next step overwrites the tiles (2 lines)?
    // BEGIN SOLUTION
    for (int l = 0; l < kTile; ++l) sum += a_tile[threadIdx.y][l] * b_tile[l][threadIdx.x];
    __syncthreads();  // all have read before anybody overwrites
    // END SOLUTION
  }
  if (row < m && col < n) c[static_cast<std::size_t>(row) * n + col] = sum;
}

cudaError_t matmul(float* c, const float* a, const float* b, int m, int n, int k) {
  if (m == 0 || n == 0) return cudaSuccess;
  const unsigned tiles_down = (m + kTile - 1) / kTile, tiles_across = (n + kTile - 1) / kTile;
  matmul_kernel<<<tiles_down * tiles_across, dim3(kTile, kTile)>>>(c, a, b, m, n, k);
  return cudaGetLastError();
}
