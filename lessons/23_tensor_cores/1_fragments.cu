// Rung 1: a warp multiplies 16 x 16 by 16 x 16 halves at once. One warp, one such piece of c.
#include <mma.h>

#include "tensor_cores.h"

constexpr int kWarp = 32;
constexpr int kPiece = 16;  // rows and columns of c that a warp covers, and its step along k

using namespace nvcuda;
// A matrix whose elements are spread over the registers of a warp's lanes. Which lane has which is not said.
using FragmentA = wmma::fragment<wmma::matrix_a, kPiece, kPiece, kPiece, __half, wmma::row_major>;
using FragmentB = wmma::fragment<wmma::matrix_b, kPiece, kPiece, kPiece, __half, wmma::row_major>;
using FragmentC = wmma::fragment<wmma::accumulator, kPiece, kPiece, kPiece, float>;

__global__ void matmul_kernel(float* c, const __half* a, const __half* b, int m, int n, int k) {
  // Fragments are loaded whole, from multiples of 32 bytes. Matrices of any size go through these pieces.
  __shared__ alignas(32) __half a_piece[kPiece][kPiece], b_piece[kPiece][kPiece];
  __shared__ alignas(32) float c_piece[kPiece][kPiece];
  const int pieces_across = (n + kPiece - 1) / kPiece;
  const int row0 = blockIdx.x / pieces_across * kPiece;  // the warp's first row and column in c
  const int col0 = blockIdx.x % pieces_across * kPiece;

  FragmentC sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int k0 = 0; k0 < k; k0 += kPiece) {
    for (int i = threadIdx.x; i < kPiece * kPiece; i += kWarp) {
      const int row = i / kPiece, col = i % kPiece;
      const bool in_a = row0 + row < m && k0 + col < k, in_b = k0 + row < k && col0 + col < n;
      a_piece[row][col] = in_a ? a[static_cast<std::size_t>(row0 + row) * k + k0 + col] : __half{};
      b_piece[row][col] = in_b ? b[static_cast<std::size_t>(k0 + row) * n + col0 + col] : __half{};
    }
    __syncwarp();  // the pieces are there before the warp loads them
    // TODO(1): load the two pieces into fragments with wmma::load_matrix_sync, and add their product to sum
    //          with wmma::mma_sync. All lanes make the same calls (5 lines).
    __syncwarp();  // all lanes have loaded before the next step overwrites
  }
  // TODO(2): put the sums into c_piece with wmma::store_matrix_sync. What must stand before other lanes'
  //          elements are read there (2 lines)?
  for (int i = threadIdx.x; i < kPiece * kPiece; i += kWarp) {
    const int row = row0 + i / kPiece, col = col0 + i % kPiece;
    if (row < m && col < n) c[static_cast<std::size_t>(row) * n + col] = c_piece[i / kPiece][i % kPiece];
  }
}

cudaError_t half_matmul(float* c, const __half* a, const __half* b, int m, int n, int k) {
  if (m == 0 || n == 0) return cudaSuccess;
  const unsigned pieces_down = (m + kPiece - 1) / kPiece, pieces_across = (n + kPiece - 1) / kPiece;
  matmul_kernel<<<pieces_down * pieces_across, kWarp>>>(c, a, b, m, n, k);
  return cudaGetLastError();
}
