// Blank page: scalar products of all rows with all rows, by Tensor Cores.
#include <mma.h>

#include "blank_page.h"

// TODO(1): scalar_products(), whose contract is in blank_page.h: kernel, launch and all else. The
//          second factor is the first one, transposed: what does that ask of a fragment of it, and
//          what not of the memory?
// BEGIN SOLUTION
using namespace nvcuda;

constexpr int kFragment = 16;
constexpr int kTile = 64, kStep = 32;  // of out, a block has 64 x 64; it takes k in steps of 32
constexpr int kWarpTile = 32;          // a warp of the four has 32 x 32 of them
constexpr int kThreads = 128, kFragments = kWarpTile / kFragment;
constexpr int kPitch = kStep + 8;  // 16 bytes more, so that eight rows lie in different banks

using FragmentA = wmma::fragment<wmma::matrix_a, kFragment, kFragment, kFragment, __half, wmma::row_major>;
using FragmentB = wmma::fragment<wmma::matrix_b, kFragment, kFragment, kFragment, __half, wmma::col_major>;
using FragmentC = wmma::fragment<wmma::accumulator, kFragment, kFragment, kFragment, float>;

/// Brings in rows from row0 on and columns from k0 on, with zeros where x has none.
__device__ void bring(__half (&tile)[kTile][kPitch], const __half* x, int row0, int k0, int n, int k) {
  for (int i = threadIdx.x; i < kTile * kStep; i += kThreads) {
    const int row = row0 + i / kStep, col = k0 + i % kStep;
    tile[i / kStep][i % kStep] =
        row < n && col < k ? x[static_cast<std::size_t>(row) * k + col] : __half(0.0f);
  }
}

__global__ void __launch_bounds__(kThreads) products_kernel(float* out, const __half* x, int n, int k) {
  __shared__ alignas(32) __half left[kTile][kPitch], right[kTile][kPitch];
  __shared__ alignas(32) float piece[kTile][kTile];
  const int row0 = blockIdx.y * kTile, col0 = blockIdx.x * kTile, warp = threadIdx.x / 32;
  const int row = warp / 2 * kWarpTile, col = warp % 2 * kWarpTile;  // the warp's, in the tile

  FragmentC sum[kFragments][kFragments];
  for (auto& of_row : sum)
    for (auto& fragment : of_row) wmma::fill_fragment(fragment, 0.0f);
  for (int k0 = 0; k0 < k; k0 += kStep) {
    bring(left, x, row0, k0, n, k);
    bring(right, x, col0, k0, n, k);
    __syncthreads();  // the tiles are there before anybody loads from them
#pragma unroll
    for (int l = 0; l < kStep; l += kFragment) {
      FragmentA a[kFragments];
      FragmentB b[kFragments];  // by columns: element (l, j) is x[j][l], so the rows of x serve as they are
#pragma unroll
      for (int i = 0; i < kFragments; ++i) {
        wmma::load_matrix_sync(a[i], &left[row + i * kFragment][l], kPitch);
        wmma::load_matrix_sync(b[i], &right[col + i * kFragment][l], kPitch);
      }
#pragma unroll
      for (int i = 0; i < kFragments; ++i)
#pragma unroll
        for (int j = 0; j < kFragments; ++j) wmma::mma_sync(sum[i][j], a[i], b[j], sum[i][j]);
    }
    __syncthreads();  // all have loaded before anybody overwrites
  }

#pragma unroll
  for (int i = 0; i < kFragments; ++i)
#pragma unroll
    for (int j = 0; j < kFragments; ++j)
      wmma::store_matrix_sync(&piece[row + i * kFragment][col + j * kFragment], sum[i][j], kTile,
                              wmma::mem_row_major);
  __syncthreads();  // the piece is there before others read it
  for (int i = threadIdx.x; i < kTile * kTile; i += kThreads) {
    const int out_row = row0 + i / kTile, out_col = col0 + i % kTile;
    if (out_row < n && out_col < n)
      out[static_cast<std::size_t>(out_row) * n + out_col] = piece[i / kTile][i % kTile];
  }
}

cudaError_t scalar_products(float* out, const __half* x, int n, int k) {
  if (n == 0) return cudaSuccess;
  const unsigned tiles = (n + kTile - 1) / kTile;
  products_kernel<<<dim3(tiles, tiles), kThreads>>>(out, x, n, k);
  return cudaGetLastError();
}
// END SOLUTION
