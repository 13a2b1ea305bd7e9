// Rung 1: a warp multiplies 16 x 16 by 16 x 16 halves at once. One warp, one such piece of c.
#include <mma.h>

#include "half8.h"
#include "tensor_cores.h"

constexpr int BM = 16, BN = 16;                            // of c, that a block covers
constexpr int BK = 32;                                     // and takes k in steps of 32
constexpr int kThreads = 32;                               // one warp
constexpr int kEachA = BM * BK / 8 / kThreads;             // vectors of a's tile that a thread brings in, ...
constexpr int kEachB = BK * BN / 8 / kThreads;             // ... and of b's
constexpr int kRowsA = BM / kEachA, kRowsB = BK / kEachB;  // from one of these to its next: rows
constexpr int kFragment = 16;                              // rows and columns of a fragment

using namespace nvcuda;
// A matrix whose elements are spread over the registers of a warp's lanes. Which lane has which is not said.
using FragmentA = wmma::fragment<wmma::matrix_a, kFragment, kFragment, kFragment, __half, wmma::row_major>;
using FragmentB = wmma::fragment<wmma::matrix_b, kFragment, kFragment, kFragment, __half, wmma::row_major>;
using FragmentC = wmma::fragment<wmma::accumulator, kFragment, kFragment, kFragment, float>;

template <bool kAligned>
__global__ void __launch_bounds__(kThreads)
    matmul_kernel(float* c, const __half* a, const __half* b, int m, int n, int k) {
  // Fragments are loaded whole, from multiples of 32 bytes. Matrices of any size go through these tiles.
  __shared__ alignas(32) __half a_tile[BM][BK], b_tile[BK][BN];
  __shared__ alignas(32) float c_piece[kFragment][kFragment];
  const int tiles_across = (n + BN - 1) / BN;
  const int row0 = blockIdx.x / tiles_across * BM;  // the block's first row and column in c
  const int col0 = blockIdx.x % tiles_across * BN;

  // This thread's first vectors of the tiles. The others lie below them.
  const int a_row = threadIdx.x / (BK / 8), a_col = threadIdx.x % (BK / 8) * 8;
  const int b_row = threadIdx.x / (BN / 8), b_col = threadIdx.x % (BN / 8) * 8;
  Half8Rows from_a(a, m, k, row0 + a_row, a_col), from_b(b, k, n, b_row, col0 + b_col);
  const auto fetch = [&] {  // the next step's tiles
#pragma unroll
    for (int e = 0; e < kEachA; ++e)
      *reinterpret_cast<uint4*>(&a_tile[a_row + e * kRowsA][a_col]) =
          load_half8<kAligned>(from_a, e * kRowsA);
#pragma unroll
    for (int e = 0; e < kEachB; ++e)
      *reinterpret_cast<uint4*>(&b_tile[b_row + e * kRowsB][b_col]) =
          load_half8<kAligned>(from_b, e * kRowsB);
    from_a.move(0, BK);
    from_b.move(BK, 0);
  };

  // TODO(1): the sums, which begin at 0. For each step of BK: fetch() the tiles; then, for each kFragment
  //          columns of a_tile and rows of b_tile, load both fragments with wmma::load_matrix_sync and add
  //          their product to the sums with wmma::mma_sync. All lanes make the same calls. Lanes read what
  //          others brought in, and fetch() overwrites what others read: where do __syncwarp()s belong (15
  //          lines)?

  // TODO(2): the epilogue. Which lane has which sum is not known: put them into c_piece with
  //          wmma::store_matrix_sync, wait for all lanes, and copy the piece to c together, those elements
  //          that c has (7 lines).
}

cudaError_t half_matmul(float* c, const __half* a, const __half* b, int m, int n, int k) {
  if (m == 0 || n == 0) return cudaSuccess;
  const unsigned tiles_down = (m + BM - 1) / BM;
  const unsigned tiles_across = (n + BN - 1) / BN;
  const auto kernel = rows_aligned(a, b, n, k) ? matmul_kernel<true> : matmul_kernel<false>;
  kernel<<<tiles_down * tiles_across, kThreads>>>(c, a, b, m, n, k);
  return cudaGetLastError();
}
