// Rung 4: pad the rows of the tiles, so that the eight rows that are loaded at a time lie in different banks.
#include <mma.h>

#include "half8.h"
#include "tensor_cores.h"

constexpr int BM = 128, BN = 128;  // of c, that a block covers
constexpr int BK = 32;             // and takes k in steps of 32
constexpr int WM = 64;             // a warp covers 64 x 64 of them
constexpr int kWarpsAcross = BN / WM;
constexpr int kThreads = BM / WM * kWarpsAcross * 32;      // 128
constexpr int kEachA = BM * BK / 8 / kThreads;             // vectors of a's tile that a thread brings in, ...
constexpr int kEachB = BK * BN / 8 / kThreads;             // ... and of b's
constexpr int kRowsA = BM / kEachA, kRowsB = BK / kEachB;  // from one of these to its next: rows
constexpr int kFragment = 16;                              // rows and columns of a fragment
constexpr int kFragments = WM / kFragment;                 // fragments down and across a warp's part

/// Halves that are left free behind each row of the tiles.
constexpr int padding() {
  int halves = 0;
  // TODO(1): eight rows are loaded at a time, 16 bytes of each. What padding puts them into different banks,
  //          for rows of 64 and of 256 bytes, and lets every row start at a multiple of 16 bytes (1 line)?
  return halves;
}
constexpr int kPad = padding();

using namespace nvcuda;
// A matrix whose elements are spread over the registers of a warp's lanes. Which lane has which is not said.
using FragmentA = wmma::fragment<wmma::matrix_a, kFragment, kFragment, kFragment, __half, wmma::row_major>;
using FragmentB = wmma::fragment<wmma::matrix_b, kFragment, kFragment, kFragment, __half, wmma::row_major>;
using FragmentC = wmma::fragment<wmma::accumulator, kFragment, kFragment, kFragment, float>;

template <bool kAligned>
__global__ void __launch_bounds__(kThreads)
    matmul_kernel(float* c, const __half* a, const __half* b, int m, int n, int k) {
  // A fragment's first element lies at a multiple of 32 bytes, its rows at multiples of 16. Matrices of any
  // size go through these tiles.
  __shared__ alignas(32) __half a_tile[BM][BK + kPad], b_tile[BK][BN + kPad];
  __shared__ alignas(32) float c_pieces[kThreads / 32][kFragment][kFragment];
  const int tiles_across = (n + BN - 1) / BN;
  const int row0 = blockIdx.x / tiles_across * BM;  // the block's first row and column in c
  const int col0 = blockIdx.x % tiles_across * BN;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int row = warp / kWarpsAcross * WM,
            col = warp % kWarpsAcross * WM;  // the warp's, in the tile

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

  FragmentC sum[kFragments][kFragments];
#pragma unroll
  for (int i = 0; i < kFragments; ++i)
#pragma unroll
    for (int j = 0; j < kFragments; ++j) wmma::fill_fragment(sum[i][j], 0.0f);
  for (int k0 = 0; k0 < k; k0 += BK) {
    fetch();
    __syncthreads();  // the tiles are there before anybody loads from them
#pragma unroll
    for (int l = 0; l < BK; l += kFragment) {
      FragmentA a_fragment[kFragments];
      FragmentB b_fragment[kFragments];
      // TODO(2): load and multiply as in rung 3. How far is it from one row of the tiles to the next (10
      //          lines)?
    }
    __syncthreads();  // all have loaded before anybody overwrites
  }

#pragma unroll
  for (int i = 0; i < kFragments; ++i)
#pragma unroll
    for (int j = 0; j < kFragments; ++j) {  // one fragment after the other through the warp's own piece
      wmma::store_matrix_sync(&c_pieces[warp][0][0], sum[i][j], kFragment, wmma::mem_row_major);
      __syncwarp();  // the piece is there before other lanes read it
      for (int e = lane; e < kFragment * kFragment; e += 32) {
        const int c_row = row0 + row + i * kFragment + e / kFragment,
                  c_col = col0 + col + j * kFragment + e % kFragment;
        if (c_row < m && c_col < n)
          c[static_cast<std::size_t>(c_row) * n + c_col] = c_pieces[warp][e / kFragment][e % kFragment];
      }
      __syncwarp();  // and read before the next one overwrites it
    }
}

cudaError_t half_matmul(float* c, const __half* a, const __half* b, int m, int n, int k) {
  if (m == 0 || n == 0) return cudaSuccess;
  const unsigned tiles_down = (m + BM - 1) / BM;
  const unsigned tiles_across = (n + BN - 1) / BN;
  const auto kernel = rows_aligned(a, b, n, k) ? matmul_kernel<true> : matmul_kernel<false>;
  kernel<<<tiles_down * tiles_across, kThreads>>>(c, a, b, m, n, k);
  return cudaGetLastError();
}
