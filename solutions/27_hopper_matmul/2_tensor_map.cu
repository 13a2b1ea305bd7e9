// Rung 2: a tile is one copy, of a box of the matrix: a tensor map says what the matrix looks like, and
// what is outside of it is 0.
#include "common/tensor_map.h"
#include "common/tma.h"
#include "epilogue.h"
#include "hopper_matmul.h"
#include "mma.h"

constexpr int BM = 128, BN = 128;                   // of c, that a block covers
constexpr int BK = 64;                              // and takes k in steps of 64: rows of 128 bytes
constexpr int WM = 64;                              // a warp covers 64 x 64 of them
constexpr int kThreads = BM / WM * (BN / WM) * 32;  // 128

/// Where columns 8 * vec to 8 * vec + 7 of a tile's row are. The TMA has swizzled them by 128 bytes.
__device__ const __nv_bfloat16* place(const __nv_bfloat16* tile, int row, int vec) {
  // TODO(1): rows are BK elements apart, with no padding, and vector v of row r is where vector v ^ r %
  //          8 would be (1 line).
  // BEGIN SOLUTION
  return tile + row * BK + (vec ^ row % 8) * 8;
  // END SOLUTION
}

__global__ void __launch_bounds__(kThreads)
    matmul_kernel(__nv_bfloat16* c, const __grid_constant__ CUtensorMap map_a,
                  const __grid_constant__ CUtensorMap map_b, int m, int n, int k) {
  __shared__ __align__(1024) __nv_bfloat16 a_tile[BM * BK],
      b_tile[BN * BK];  // the swizzle's pattern: 1024 bytes
  __shared__ std::uint64_t full;
  const int tiles_across = (n + BN - 1) / BN;
  const int row0 = blockIdx.x / tiles_across * BM;  // the block's first row and column in c
  const int col0 = blockIdx.x % tiles_across * BN;
  const int thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
  const int row = warp / (BN / WM) * WM, col = warp % (BN / WM) * WM;  // the warp's, in the tile
  if (thread == 0) {
    mbarrier_init(&full, 1);
    fence_mbarrier_init();
  }
  __syncthreads();

  float sum[WM / 16][WM / 8 * 4] = {};  // of 16 rows each
  int parity = 0;                       // of the phase that this step's copies belong to
  for (int k0 = 0; k0 < k; k0 += BK) {
    // TODO(2): one thread announces the bytes of both tiles, whole ones also at the borders, and starts
    //          two copies; their first element is column k0 of a's row row0, and of b's row col0. All
    //          wait (6 lines).
    // BEGIN SOLUTION
    if (thread == 0) {
      mbarrier_arrive_expect_tx(&full, sizeof a_tile + sizeof b_tile);
      tma_load_2d(a_tile, map_a, k0, row0, &full);
      tma_load_2d(b_tile, map_b, k0, col0, &full);
    }
    mbarrier_wait(&full, parity);
    // END SOLUTION
    parity ^= 1;

#pragma unroll
    for (int l = 0; l < BK; l += 16) {
      unsigned a_part[WM / 16][4], b_part[WM / 16][4];
#pragma unroll
      for (int i = 0; i < WM / 16; ++i) {
        load_matrices(a_part[i], place(a_tile, row + i * 16 + lane % 16, l / 8 + lane / 16));
        load_matrices(b_part[i], place(b_tile, col + i * 16 + lane % 16, l / 8 + lane / 16));
      }
#pragma unroll
      for (int i = 0; i < WM / 16; ++i)
#pragma unroll
        for (int j = 0; j < WM / 8; ++j)
          multiply_add(&sum[i][j * 4], a_part[i], b_part[j / 2][j % 2], b_part[j / 2][j % 2 + 2]);
    }
    __syncthreads();  // all have read the tiles before anybody copies to them
  }
#pragma unroll
  for (int i = 0; i < WM / 16; ++i) store_sums(c, sum[i], row0 + row + i * 16, col0 + col, m, n);
}

cudaError_t hopper_matmul(__nv_bfloat16* c, const __nv_bfloat16* a, const __nv_bfloat16* b, int m, int n,
                          int k) {
  if (m == 0 || n == 0) return cudaSuccess;
  if (k == 0) return cudaMemsetAsync(c, 0, sizeof(__nv_bfloat16) * m * n);  // no tensor map has 0 columns
  CUtensorMap map_a, map_b;
  // TODO(3): the maps of a and of b, by make_tensor_map(): how many rows and columns has each, and how
  //          many rows a box of it? Return the error, if there is one (4 lines).
  // BEGIN SOLUTION
  cudaError_t error = make_tensor_map(&map_a, a, m, k, BM);
  if (error == cudaSuccess) error = make_tensor_map(&map_b, b, n, k, BN);
  if (error != cudaSuccess) return error;
  // END SOLUTION
  const int tiles = (m + BM - 1) / BM * ((n + BN - 1) / BN);
  matmul_kernel<<<tiles, kThreads>>>(c, map_a, map_b, m, n, k);
  return cudaGetLastError();
}
