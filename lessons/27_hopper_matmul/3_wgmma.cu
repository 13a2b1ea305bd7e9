// Rung 3: the Tensor Cores read the tiles from shared memory themselves: a warpgroup's products, by wgmma.
#include "common/tensor_map.h"
#include "common/tma.h"
#include "common/wgmma.h"
#include "epilogue.h"
#include "hopper_matmul.h"

constexpr int BM = 128, BN = 128;  // of c, that a block covers
constexpr int BK = 64;             // and takes k in steps of 64: rows of 128 bytes
constexpr int kThreads = 128;      // a warpgroup
constexpr int kDown = BM / 64;     // products of 64 rows below each other

/// Tells a product where a factor is: rows of 128 bytes, one below the other, swizzled by 128 bytes.
__device__ std::uint64_t descriptor(const __nv_bfloat16* tile) {
  // TODO(1): three fields of the descriptor. Bits 0 to 13: bits 4 to 17 of the address in shared
  //          memory. Bits 32 to 45: bytes from one group of eight rows to the next, in units of 16.
  //          Bits 62 and 63: 1, for a swizzle of 128 bytes. All else is 0 (2 lines).
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
  const int thread = threadIdx.x, warp = thread / 32;
  if (thread == 0) {
    mbarrier_init(&full, 1);
    fence_mbarrier_init();
  }
  __syncthreads();

  float sum[kDown][BN / 2] = {};  // of 64 rows each, a warp's 16 of them
  int parity = 0;                 // of the phase that this step's copies belong to
  for (int k0 = 0; k0 < k; k0 += BK) {
    if (thread == 0) {
      mbarrier_arrive_expect_tx(&full, sizeof a_tile + sizeof b_tile);
      tma_load_2d(a_tile, map_a, k0, row0, &full);
      tma_load_2d(b_tile, map_b, k0, col0, &full);
    }
    mbarrier_wait(&full, parity);
    parity ^= 1;

    // TODO(2): the products of this step, for all 16 columns of BK and all 64 rows of a:
    //          wgmma_m64n128k16() adds to sum[i]. The next 16 columns begin 32 bytes further on: the
    //          descriptor's address is in units of 16. A fence before the first, one group for all, and
    //          a wait until they are done (8 lines).
    __syncthreads();  // all have read the tiles before anybody copies to them
  }
#pragma unroll
  for (int i = 0; i < kDown; ++i) store_sums(c, sum[i], row0 + i * 64 + warp * 16, col0, m, n);
}

cudaError_t hopper_matmul(__nv_bfloat16* c, const __nv_bfloat16* a, const __nv_bfloat16* b, int m, int n,
                          int k) {
  if (m == 0 || n == 0) return cudaSuccess;
  if (k == 0) return cudaMemsetAsync(c, 0, sizeof(__nv_bfloat16) * m * n);  // no tensor map has 0 columns
  CUtensorMap map_a, map_b;
  cudaError_t error = make_tensor_map(&map_a, a, m, k, BM);
  if (error == cudaSuccess) error = make_tensor_map(&map_b, b, n, k, BN);
  if (error != cudaSuccess) return error;
  const int tiles = (m + BM - 1) / BM * ((n + BN - 1) / BN);
  matmul_kernel<<<tiles, kThreads>>>(c, map_a, map_b, m, n, k);
  return cudaGetLastError();
}
