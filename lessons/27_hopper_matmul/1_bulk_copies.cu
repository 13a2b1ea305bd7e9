// Rung 1: rows of the tiles are copied in bulk, by the unit that does such things, and an mbarrier
// counts the bytes.
#include "common/mbarrier.h"
#include "epilogue.h"
#include "hopper_matmul.h"
#include "mma.h"

constexpr int BM = 128, BN = 128;                   // of c, that a block covers
constexpr int BK = 64;                              // and takes k in steps of 64
constexpr int WM = 64;                              // a warp covers 64 x 64 of them
constexpr int kThreads = BM / WM * (BN / WM) * 32;  // 128: a row of a and a row of b for each
constexpr int kPadded = BK + 8;  // elements from a row to the next: 144 bytes, as in lesson 23

/// Copies @p bytes bytes, a multiple of 16, from global to shared memory, in the background; both begin
/// at multiples of 16 bytes. Behind the last byte, all of them are counted by the mbarrier.
__device__ void bulk_load(void* to, const void* from, int bytes, std::uint64_t* barrier) {
  // TODO(1): the instruction cp.async.bulk, to .shared::cluster from .global, completing by
  //          .mbarrier::complete_tx::bytes. Its operands are [to], [from], bytes, [barrier]; addresses
  //          in shared memory are 32 bits, as shared_address() gives them. Tell the compiler that
  //          memory changes (5 lines).
}

__global__ void __launch_bounds__(kThreads)
    matmul_kernel(__nv_bfloat16* c, const __nv_bfloat16* a, const __nv_bfloat16* b, int m, int n, int k) {
  __shared__ __align__(128) __nv_bfloat16 a_tile[BM][kPadded], b_tile[BN][kPadded];
  __shared__ std::uint64_t full;
  const int tiles_across = (n + BN - 1) / BN;
  const int row0 = blockIdx.x / tiles_across * BM;  // the block's first row and column in c
  const int col0 = blockIdx.x % tiles_across * BN;
  const int thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
  const int row = warp / (BN / WM) * WM, col = warp % (BN / WM) * WM;  // the warp's, in the tile

  // This thread's row of each tile. A row that is not there is replaced by the last one: its sums are
  // not stored.
  const __nv_bfloat16* a_row = a + static_cast<std::size_t>(min(row0 + thread, m - 1)) * k;
  const __nv_bfloat16* b_row = b + static_cast<std::size_t>(min(col0 + thread, n - 1)) * k;

  // TODO(2): one thread initialises the mbarrier, for an arrival of each thread, and lets the unit that
  //          copies see it; then all may use it (5 lines).

  float sum[WM / 16][WM / 8 * 4] = {};  // of 16 rows each
  int parity = 0;                       // of the phase that this step's copies belong to
  for (int k0 = 0; k0 < k; k0 += BK) {
    const int elements = min(BK, k - k0);  // of a row, in this step
    for (int l = elements; l < BK; ++l)    // behind the end of k: zeros
      a_tile[thread][l] = b_tile[thread][l] = __nv_bfloat16(0.0f);
    // TODO(3): arrive at the mbarrier and announce this thread's bytes, copy its two rows, and wait for
    //          the phase in which all have arrived and all bytes have come (5 lines).
    parity ^= 1;

#pragma unroll
    for (int l = 0; l < BK; l += 16) {
      unsigned a_part[WM / 16][4], b_part[WM / 16][4];
#pragma unroll
      for (int i = 0; i < WM / 16; ++i) {
        load_matrices(a_part[i], &a_tile[row + i * 16 + lane % 16][l + lane / 16 * 8]);
        load_matrices(b_part[i], &b_tile[col + i * 16 + lane % 16][l + lane / 16 * 8]);
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
  const int tiles = (m + BM - 1) / BM * ((n + BN - 1) / BN);
  matmul_kernel<<<tiles, kThreads>>>(c, a, b, m, n, k);
  return cudaGetLastError();
}
