// Rung 1: a launch for each product of the batch, then a kernel for the bias and one for the ReLU.
#include "batched_matmul_bias_relu.h"
#include "common/float4.h"

constexpr int BK = 32;    // a block takes k in steps of 32
constexpr int kEach = 4;  // a thread has 4 x 4 sums
constexpr int kPad = 4;   // keeps a_tile's rows 16-byte aligned and out of each other's banks

/// Threads of a block that covers tile x tile elements.
constexpr int threads_of(int tile) { return tile / kEach * (tile / kEach); }

/// out = a * b, without bias and ReLU.
template <int kTile, bool kAligned>
__global__ void __launch_bounds__(threads_of(kTile))
    matmul_kernel(float* out, const float* a, const float* b, int m, int n, int k) {
  constexpr int kAcross = kTile / kEach, kThreads = kAcross * kAcross;  // threads side by side, and in all
  __shared__ alignas(16) float a_tile[kTile][BK + kPad];
  __shared__ alignas(16) float b_tile[BK][kTile];
  const int tiles_across = (n + kTile - 1) / kTile;
  const int tile = blockIdx.x;
  const int row0 = tile / tiles_across * kTile;  // the block's first row and column in its out
  const int col0 = tile % tiles_across * kTile;
  // A thread's rows are kAcross apart: neighbouring rows go to lanes of one warp, and lie in different banks.
  const int row = threadIdx.x / kAcross, col = threadIdx.x % kAcross * kEach;

  alignas(16) float sum[kEach][kEach] = {};
  for (int k0 = 0; k0 < k; k0 += BK) {
#pragma unroll
    for (int i = threadIdx.x; i < kTile * BK / 4; i += kThreads) {
      const int a_row = i / (BK / 4), a_col = i % (BK / 4) * 4;
      const int b_row = i / (kTile / 4), b_col = i % (kTile / 4) * 4;
      *reinterpret_cast<float4*>(&a_tile[a_row][a_col]) =
          load_float4<kAligned>(a, row0 + a_row, k0 + a_col, m, k);
      *reinterpret_cast<float4*>(&b_tile[b_row][b_col]) =
          load_float4<kAligned>(b, k0 + b_row, col0 + b_col, k, n);
    }
    __syncthreads();  // the tiles are there before anybody reads them

#pragma unroll
    for (int l = 0; l < BK; l += 4) {
      alignas(16) float a_part[kEach][4], b_part[4][kEach];  // four steps at once: 16 bytes a read
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        *reinterpret_cast<float4*>(a_part[i]) =
            *reinterpret_cast<const float4*>(&a_tile[row + i * kAcross][l]);
        *reinterpret_cast<float4*>(b_part[i]) = *reinterpret_cast<const float4*>(&b_tile[l + i][col]);
      }
#pragma unroll
      for (int step = 0; step < 4; ++step)
#pragma unroll
        for (int i = 0; i < kEach; ++i)
#pragma unroll
          for (int j = 0; j < kEach; ++j) sum[i][j] += a_part[i][step] * b_part[step][j];
    }
    __syncthreads();  // all have read before anybody overwrites
  }
#pragma unroll
  for (int i = 0; i < kEach; ++i)
    store_float4<kAligned>(out, row0 + row + i * kAcross, col0 + col, m, n,
                           *reinterpret_cast<float4*>(sum[i]));
}

constexpr int kBlock = 256;  // threads a block, of the kernels that compute element by element

__global__ void bias_kernel(float* out, const float* bias, int n, std::size_t elements) {
  // TODO(1): add to each element of out the bias of its column. The threads of all blocks are numbered in
  //          std::size_t, an element each; the last block has threads behind the end (2 lines).
}

__global__ void relu_kernel(float* out, std::size_t elements) {
  // TODO(2): likewise, make what is below 0 to 0 (2 lines).
}

template <int kTile>
void launch_matmul(float* out, const float* a, const float* b, int batch, int m, int n, int k) {
  const unsigned tiles = (m + kTile - 1) / kTile * ((n + kTile - 1) / kTile);
  // Every row of every matrix starts at a multiple of 16 bytes if 4 divides n and k.
  const auto kernel =
      rows_aligned(out, a, b, n, k) ? matmul_kernel<kTile, true> : matmul_kernel<kTile, false>;
  // TODO(3): launch it once for each product of the batch, with `tiles` blocks of threads_of(kTile) threads.
  //          Where do the matrices number s begin (5 lines)?
}

cudaError_t batched_matmul_bias_relu(float* out, const float* a, const float* b, const float* bias, int batch,
                                     int m, int n, int k) {
  if (batch == 0 || m == 0 || n == 0) return cudaSuccess;
  launch_matmul<64>(out, a, b, batch, m, n, k);
  // TODO(4): behind the products, launch the two kernels over all elements of the batch, in blocks of kBlock
  //          threads (4 lines).
  return cudaGetLastError();
}
