// Rung 7: each warp takes a compact piece of the block's tile, and reads few words, side by side.
#include "common/float4.h"
#include "matmul.h"

constexpr int BM = 128, BN = 128;                 // of c, that a block covers
constexpr int BK = 8;                             // and takes k in steps of 8
constexpr int TM = 8, TN = 8;                     // sums of a thread: 2 x 2 groups of 4 x 4
constexpr int kThreads = BM * BN / (TM * TN);     // 256: each brings in four of a ...
constexpr int kVectors = BN * BK / 4 / kThreads;  // ... and so many fours of b, here one,
constexpr int kRowsB = BK / kVectors;             // from rows so far apart
constexpr int kBlocks = 2;  // a multiprocessor shall hold: 65536 / (2 * 256) = 128 registers a thread
// Lanes 2r and 2r + 1 store row r of a, 4 rows of a_tile apart: with this padding, 4 * 132 % 32 = 16 banks.
constexpr int kPad = 4;

constexpr int WM = 64, WN = 32;              // of c, that a warp covers: 2 x 4 warps a block
constexpr int kLaneRows = 8, kLaneCols = 4;  // lanes of a warp, one below the other and side by side
constexpr int kRowStep = kLaneRows * 4;      // from a lane's first four rows to its next four
constexpr int kColStep = kLaneCols * 4;      // from its first four columns to its next four

template <bool kAligned>
__global__ void __launch_bounds__(kThreads, kBlocks)
    matmul_kernel(float* c, const float* a, const float* b, int m, int n, int k) {
  __shared__ alignas(16) float a_tile[BK][BM + kPad];  // transposed: [l][i] is a's (i, l)
  __shared__ alignas(16) float b_tile[BK][BN];
  // Blocks are numbered along one axis, for a grid has up to 2^31 - 1 blocks in x but only 65535 in y.
  const int tiles_across = (n + BN - 1) / BN;
  const int row0 = blockIdx.x / tiles_across * BM;  // the block's first row and column in c
  const int col0 = blockIdx.x % tiles_across * BN;

  // TODO(1): where in the block is this thread's first group of 4 x 4 sums? The warps lie side by side, BN /
  //          WN of them in a row, and so do the lanes within the warp's first kRowStep x kColStep elements,
  //          kLaneCols in a row (3 lines).
  // BEGIN SOLUTION
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int row = warp / (BN / WN) * WM + lane / kLaneCols * 4;
  const int col = warp % (BN / WN) * WN + lane % kLaneCols * 4;
  // END SOLUTION

  // What this thread brings in: 2 threads a row of a's tile, 32 a row of b's.
  const int a_row = threadIdx.x / (BK / 4), a_col = threadIdx.x % (BK / 4) * 4;
  const int b_row = threadIdx.x / (BN / 4), b_col = threadIdx.x % (BN / 4) * 4;

  float4 a_vec = {}, b_vec[kVectors] = {};  // the step's, on their way into the tiles
  const auto fetch = [&](int k0) {
    a_vec = load_float4<kAligned>(a, row0 + a_row, k0 + a_col, m, k);
#pragma unroll
    for (int q = 0; q < kVectors; ++q)
      b_vec[q] = load_float4<kAligned>(b, k0 + b_row + q * kRowsB, col0 + b_col, k, n);
  };
  const auto put = [&] {
    a_tile[a_col][a_row] = a_vec.x;
    a_tile[a_col + 1][a_row] = a_vec.y;
    a_tile[a_col + 2][a_row] = a_vec.z;
    a_tile[a_col + 3][a_row] = a_vec.w;
#pragma unroll
    for (int q = 0; q < kVectors; ++q)
      *reinterpret_cast<float4*>(&b_tile[b_row + q * kRowsB][b_col]) = b_vec[q];
  };

  alignas(16) float a_part[TM], b_part[TN];  // the factors of one step
  const auto read = [&](int l) {
    // TODO(2): as in rung 6, but from four rows to the next it is kRowStep, and from four columns to the next
    //          kColStep (6 lines).
    // BEGIN SOLUTION
    for (int i = 0; i < TM; i += 4)
      *reinterpret_cast<float4*>(&a_part[i]) =
          *reinterpret_cast<const float4*>(&a_tile[l][row + i / 4 * kRowStep]);
    for (int j = 0; j < TN; j += 4)
      *reinterpret_cast<float4*>(&b_part[j]) =
          *reinterpret_cast<const float4*>(&b_tile[l][col + j / 4 * kColStep]);
    // END SOLUTION
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

  // TODO(3): store the sums, four neighbours at a time, where they belong (6 lines).
  // BEGIN SOLUTION
#pragma unroll
  for (int i = 0; i < TM; ++i)
#pragma unroll
    for (int j = 0; j < TN; j += 4)
      store_float4<kAligned>(c, row0 + row + i / 4 * kRowStep + i % 4, col0 + col + j / 4 * kColStep, m, n,
                             {sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]});
  // END SOLUTION
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
