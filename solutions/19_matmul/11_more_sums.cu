// Rung 11: 16 x 8 sums a thread: 24 words read for 128 multiplications. It costs half of the warps.
#include "common/float4.h"
#include "matmul.h"

constexpr int BM = 128, BN = 256;                 // of c, that a block covers
constexpr int BK = 8;                             // and takes k in steps of 8
constexpr int TM = 16, TN = 8;                    // sums of a thread: 4 x 2 groups of 4 x 4
constexpr int kThreads = BM * BN / (TM * TN);     // 256: each brings in four of a ...
constexpr int kVectors = BN * BK / 4 / kThreads;  // ... and so many fours of b, here two,
constexpr int kRowsB = BK / kVectors;             // from rows so far apart
// Lanes 2r and 2r + 1 store row r of a, 4 rows of a_tile apart: with this padding, 4 * 132 % 32 = 16 banks.
constexpr int kPad = 4;

constexpr int WM = 64, WN = 64;              // of c, that a warp covers: 2 x 4 warps a block
constexpr int kLaneRows = 4, kLaneCols = 8;  // lanes of a warp, one below the other and side by side
constexpr int kRowStep = kLaneRows * 4;      // from a lane's first four rows to its next four
constexpr int kColStep = kLaneCols * 4;      // from its first four columns to its next four

template <bool kAligned>
__global__ void __launch_bounds__(kThreads)
    matmul_kernel(float* c, const float* a, const float* b, int m, int n, int k) {
  __shared__ alignas(16) float a_tile[2][BK][BM + kPad];  // transposed: [l][i] is a's (i, l)
  __shared__ alignas(16) float b_tile[2][BK][BN];
  // Blocks are numbered along one axis, for a grid has up to 2^31 - 1 blocks in x but only 65535 in y.
  const int tiles_across = (n + BN - 1) / BN;
  const int row0 = blockIdx.x / tiles_across * BM;  // the block's first row and column in c
  const int col0 = blockIdx.x % tiles_across * BN;

  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int row = warp / (BN / WN) * WM + lane / kLaneCols * 4;
  const int col = warp % (BN / WN) * WN + lane % kLaneCols * 4;

  // What this thread brings in: 2 threads a row of a's tile, 64 a row of b's, of which it has two.
  const int a_row = threadIdx.x / (BK / 4), a_col = threadIdx.x % (BK / 4) * 4;
  const int b_row = threadIdx.x / (BN / 4), b_col = threadIdx.x % (BN / 4) * 4;

  // Where from, in the step that is fetched next: places that move on, instead of being worked out anew.
  // Below a's last row that row will do, and behind b's last float4 that float4: such sums are not stored.
  const float* a_from = a + static_cast<std::size_t>(min(row0 + a_row, m - 1)) * k + a_col;
  const float* b_from = b + static_cast<std::size_t>(b_row) * n + min(col0 + b_col, n - 4);

  float4 a_vec = {}, b_vec[kVectors] = {};  // the next step's, while they are on their way
  const auto fetch = [&](int k0) {          // behind the end of k these are zeros
    if (kAligned && k0 + BK <= k) {         // a whole step: no questions
      a_vec = *reinterpret_cast<const float4*>(a_from);
#pragma unroll
      for (int q = 0; q < kVectors; ++q)
        b_vec[q] = *reinterpret_cast<const float4*>(b_from + static_cast<std::size_t>(q * kRowsB) * n);
      a_from += BK;
      b_from += static_cast<std::size_t>(BK) * n;
    } else {  // where k ends within the step or before it, and where widths want floats
      a_vec = load_float4<kAligned>(a, row0 + a_row, k0 + a_col, m, k);
#pragma unroll
      for (int q = 0; q < kVectors; ++q)
        b_vec[q] = load_float4<kAligned>(b, k0 + b_row + q * kRowsB, col0 + b_col, k, n);
    }
  };
  const auto put = [&](int set) {
    a_tile[set][a_col][a_row] = a_vec.x;
    a_tile[set][a_col + 1][a_row] = a_vec.y;
    a_tile[set][a_col + 2][a_row] = a_vec.z;
    a_tile[set][a_col + 3][a_row] = a_vec.w;
#pragma unroll
    for (int q = 0; q < kVectors; ++q)
      *reinterpret_cast<float4*>(&b_tile[set][b_row + q * kRowsB][b_col]) = b_vec[q];
  };

  // TODO(1): all the rest of the loop over k: factors of two steps in registers, read four at a time; TM x TN
  //          sums; fetching a step ahead, and reading a step ahead. Write it from the picture of rungs 8 and
  //          9, not from their files; only TM and TN have changed (32 lines).
  // BEGIN SOLUTION
  alignas(16) float a_part[2][TM], b_part[2][TN];  // of the step at hand and of the next one
  const auto read = [&](int set, int l) {
    for (int i = 0; i < TM; i += 4)
      *reinterpret_cast<float4*>(&a_part[l % 2][i]) =
          *reinterpret_cast<const float4*>(&a_tile[set][l][row + i / 4 * kRowStep]);
    for (int j = 0; j < TN; j += 4)
      *reinterpret_cast<float4*>(&b_part[l % 2][j]) =
          *reinterpret_cast<const float4*>(&b_tile[set][l][col + j / 4 * kColStep]);
  };
  float sum[TM][TN] = {};  // 128 registers
  const auto multiply = [&](int l) {
    for (int i = 0; i < TM; ++i)
      for (int j = 0; j < TN; ++j) sum[i][j] += a_part[l % 2][i] * b_part[l % 2][j];
  };

  fetch(0);
  put(0);
  __syncthreads();  // the first tiles are there
  read(0, 0);
  for (int k0 = 0, set = 0; k0 < k; k0 += BK, set ^= 1) {
    const bool more = k0 + BK < k;  // both under it: the fastest of 30 spellings, see the README's last myth
    if (more) fetch(k0 + BK);       // nobody waits for it before put() needs it
#pragma unroll
    for (int l = 0; l < BK; ++l) {
      if (l + 1 < BK) {
        read(set, l + 1);
      } else {
        if (more) put(set ^ 1);  // of which nobody reads: all have passed the barrier of the round before
        __syncthreads();         // the next tiles are there, and all have read these
        read(set ^ 1, 0);
      }
      multiply(l);
    }
  }
  // END SOLUTION

  // TODO(2): store the sums, four neighbours at a time (6 lines).
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
