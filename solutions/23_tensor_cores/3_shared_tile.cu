// Rung 3: four warps share the tiles. Each multiplies 64 x 64 of the block's 128 x 128.
#include <mma.h>

#include "octet.h"
#include "tensor_cores.h"

constexpr int kTileRows = 128, kTileCols = 128;  // of c, that a block covers
constexpr int kDepth = 32;                       // and takes k in steps of 32
constexpr int kWarpTile = 64;                    // a warp covers 64 x 64 of them
constexpr int kWarpsAcross = kTileCols / kWarpTile;
constexpr int kThreads = kTileRows / kWarpTile * kWarpsAcross * 32;  // 128
constexpr int kEachA = kTileRows * kDepth / 8 / kThreads;  // octets of a's tile that a thread brings in, ...
constexpr int kEachB = kDepth * kTileCols / 8 / kThreads;  // ... and of b's
constexpr int kRowsA = kTileRows / kEachA, kRowsB = kDepth / kEachB;  // from one of these to its next: rows
constexpr int kPiece = 16;                                            // rows and columns of a fragment
constexpr int kPieces = kWarpTile / kPiece;  // fragments down and across a warp's part

using namespace nvcuda;
// A matrix whose elements are spread over the registers of a warp's lanes. Which lane has which is not said.
using FragmentA = wmma::fragment<wmma::matrix_a, kPiece, kPiece, kPiece, __half, wmma::row_major>;
using FragmentB = wmma::fragment<wmma::matrix_b, kPiece, kPiece, kPiece, __half, wmma::row_major>;
using FragmentC = wmma::fragment<wmma::accumulator, kPiece, kPiece, kPiece, float>;

template <bool kAligned>
__global__ void __launch_bounds__(kThreads)
    matmul_kernel(float* c, const __half* a, const __half* b, int m, int n, int k) {
  // Fragments are loaded whole, from multiples of 32 bytes. Matrices of any size go through these tiles.
  __shared__ alignas(32) __half a_tile[kTileRows][kDepth], b_tile[kDepth][kTileCols];
  __shared__ alignas(32) float c_pieces[kThreads / 32][kPiece][kPiece];
  const int tiles_across = (n + kTileCols - 1) / kTileCols;
  const int row0 = blockIdx.x / tiles_across * kTileRows;  // the block's first row and column in c
  const int col0 = blockIdx.x % tiles_across * kTileCols;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int row = warp / kWarpsAcross * kWarpTile,
            col = warp % kWarpsAcross * kWarpTile;  // the warp's, in the tile

  // This thread's first octets of the tiles. The others lie below them.
  const int a_row = threadIdx.x / (kDepth / 8), a_col = threadIdx.x % (kDepth / 8) * 8;
  const int b_row = threadIdx.x / (kTileCols / 8), b_col = threadIdx.x % (kTileCols / 8) * 8;
  Octets from_a(a, m, k, row0 + a_row, a_col), from_b(b, k, n, b_row, col0 + b_col);
  const auto fetch = [&] {  // the next step's tiles
#pragma unroll
    for (int e = 0; e < kEachA; ++e)
      *reinterpret_cast<uint4*>(&a_tile[a_row + e * kRowsA][a_col]) =
          load_octet<kAligned>(from_a, e * kRowsA);
#pragma unroll
    for (int e = 0; e < kEachB; ++e)
      *reinterpret_cast<uint4*>(&b_tile[b_row + e * kRowsB][b_col]) =
          load_octet<kAligned>(from_b, e * kRowsB);
    from_a.move(0, kDepth);
    from_b.move(kDepth, 0);
  };

  FragmentC sum[kPieces][kPieces];
#pragma unroll
  for (int i = 0; i < kPieces; ++i)
#pragma unroll
    for (int j = 0; j < kPieces; ++j) wmma::fill_fragment(sum[i][j], 0.0f);
  for (int k0 = 0; k0 < k; k0 += kDepth) {
    fetch();
    __syncthreads();  // the tiles are there before anybody loads from them
#pragma unroll
    for (int l = 0; l < kDepth; l += kPiece) {
      FragmentA a_fragment[kPieces];
      FragmentB b_fragment[kPieces];
      // TODO(1): the loads and products of rung 2, of this warp's part: its rows of a_tile begin at row, its
      //          columns of b_tile at col (9 lines).
      // BEGIN SOLUTION
#pragma unroll
      for (int i = 0; i < kPieces; ++i) {
        wmma::load_matrix_sync(a_fragment[i], &a_tile[row + i * kPiece][l], kDepth);
        wmma::load_matrix_sync(b_fragment[i], &b_tile[l][col + i * kPiece], kTileCols);
      }
#pragma unroll
      for (int i = 0; i < kPieces; ++i)
#pragma unroll
        for (int j = 0; j < kPieces; ++j) wmma::mma_sync(sum[i][j], a_fragment[i], b_fragment[j], sum[i][j]);
      // END SOLUTION
    }
    __syncthreads();  // all have loaded before anybody overwrites
  }

#pragma unroll
  for (int i = 0; i < kPieces; ++i)
#pragma unroll
    for (int j = 0; j < kPieces; ++j) {  // one fragment after the other through the warp's own piece
      wmma::store_matrix_sync(&c_pieces[warp][0][0], sum[i][j], kPiece, wmma::mem_row_major);
      __syncwarp();  // the piece is there before other lanes read it
      for (int e = lane; e < kPiece * kPiece; e += 32) {
        const int c_row = row0 + row + i * kPiece + e / kPiece, c_col = col0 + col + j * kPiece + e % kPiece;
        if (c_row < m && c_col < n)
          c[static_cast<std::size_t>(c_row) * n + c_col] = c_pieces[warp][e / kPiece][e % kPiece];
      }
      __syncwarp();  // and read before the next one overwrites it
    }
}

cudaError_t half_matmul(float* c, const __half* a, const __half* b, int m, int n, int k) {
  if (m == 0 || n == 0) return cudaSuccess;
  const unsigned tiles_down = (m + kTileRows - 1) / kTileRows;
  const unsigned tiles_across = (n + kTileCols - 1) / kTileCols;
  const auto kernel = rows_aligned(a, b, n, k) ? matmul_kernel<true> : matmul_kernel<false>;
  kernel<<<tiles_down * tiles_across, kThreads>>>(c, a, b, m, n, k);
  return cudaGetLastError();
}
