// Rung 6: 16 bytes an access, to memory and to shared memory. For that, a's tile is stored transposed.
#include "common/float4.h"
#include "matmul.h"

constexpr int BM = 128, BN = 128;                 // of c, that a block covers
constexpr int BK = 8;                             // and takes k in steps of 8
constexpr int TM = 8, TN = 8;                     // sums of a thread
constexpr int kThreads = BM * BN / (TM * TN);     // 256: each brings in four of a ...
constexpr int kVectors = BN * BK / 4 / kThreads;  // ... and so many fours of b, here one,
constexpr int kRowsB = BK / kVectors;             // from rows so far apart
constexpr int kBlocks = 2;  // a multiprocessor shall hold: 65536 / (2 * 256) = 128 registers a thread
// Lanes 2r and 2r + 1 store row r of a, 4 rows of a_tile apart: with this padding, 4 * 132 % 32 = 16 banks.
constexpr int kPad = 4;

template <bool kAligned>
__global__ void __launch_bounds__(kThreads, kBlocks)
    matmul_kernel(float* c, const float* a, const float* b, int m, int n, int k) {
  __shared__ alignas(16) float a_tile[BK][BM + kPad];  // transposed: [l][i] is a's (i, l)
  __shared__ alignas(16) float b_tile[BK][BN];
  // Blocks are numbered along one axis, for a grid has up to 2^31 - 1 blocks in x but only 65535 in y.
  const int tiles_across = (n + BN - 1) / BN;
  const int row0 = blockIdx.x / tiles_across * BM;  // the block's first row and column in c
  const int col0 = blockIdx.x % tiles_across * BN;
  const int row = threadIdx.x / (BN / TN) * TM;  // this thread's first sum, within the block
  const int col = threadIdx.x % (BN / TN) * TN;

  // What this thread brings in: 2 threads a row of a's tile, 32 a row of b's.
  const int a_row = threadIdx.x / (BK / 4), a_col = threadIdx.x % (BK / 4) * 4;
  const int b_row = threadIdx.x / (BN / 4), b_col = threadIdx.x % (BN / 4) * 4;

  float4 a_vec = {}, b_vec[kVectors] = {};  // the step's, on their way into the tiles
  const auto fetch = [&](int k0) {
    // TODO(1): load this thread's float4 of a's tile and its kVectors of b's, which are kRowsB rows apart.
    //          load_float4() of common/float4.h wants row and column in the matrix, and its extents (4
    //          lines).
  };
  const auto put = [&] {
    // TODO(2): put them into the tiles: a's four into column a_row of rows a_col to a_col + 3 of a_tile, b's
    //          float4 q into row b_row + q * kRowsB by one access of 16 bytes, that is by a cast to float4*
    //          (7 lines).
  };

  alignas(16) float a_part[TM], b_part[TN];  // the factors of one step
  const auto read = [&](int l) {
    // TODO(3): read both, four at a time (4 lines).
  };
  float sum[TM][TN] = {};  // 64 registers
  const auto multiply = [&] {
    for (int i = 0; i < TM; ++i)
      for (int j = 0; j < TN; ++j) sum[i][j] += a_part[i] * b_part[j];
  };

  for (int k0 = 0; k0 < k; k0 += BK) {
    fetch(k0);
    put();
    __syncthreads();  // the tiles are there before anybody reads them
#pragma unroll
    for (int l = 0; l < BK; ++l) {
      read(l);
      multiply();
    }
    __syncthreads();  // all have read before anybody overwrites
  }

  // TODO(4): store the sums, four neighbours of a row at a time: store_float4() drops what lies outside of c
  //          (6 lines).
}

cudaError_t matmul(float* c, const float* a, const float* b, int m, int n, int k) {
  if (m == 0 || n == 0) return cudaSuccess;
  const unsigned tiles_down = (m + BM - 1) / BM;
  const unsigned tiles_across = (n + BN - 1) / BN;
  if (rows_aligned(c, a, b, n, k))
    matmul_kernel<true><<<tiles_down * tiles_across, kThreads>>>(c, a, b, m, n, k);
  else
    matmul_kernel<false><<<tiles_down * tiles_across, kThreads>>>(c, a, b, m, n, k);
  return cudaGetLastError();
}
