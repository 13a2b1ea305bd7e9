// Rung 8: two sets of tiles. While one is multiplied, the next is already on its way.
#include "common/quad.h"
#include "matmul.h"

constexpr int kTileRows = 128, kTileCols = 128;                    // of c, that a block covers
constexpr int kDepth = 8;                                          // and takes k in steps of 8
constexpr int kRows = 8, kCols = 8;                                // sums of a thread: 2 x 2 groups of 4 x 4
constexpr int kThreads = kTileRows * kTileCols / (kRows * kCols);  // 256: each brings in four of a ...
constexpr int kQuads = kTileCols * kDepth / 4 / kThreads;          // ... and so many fours of b, here one,
constexpr int kRowsB = kDepth / kQuads;                            // from rows so far apart
constexpr int kBlocks = 2;  // a multiprocessor shall hold: 65536 / (2 * 256) = 128 registers a thread
// Lanes 2r and 2r + 1 store row r of a, 4 rows of a_tile apart: with this padding, 4 * 132 % 32 = 16 banks.
constexpr int kPad = 4;

constexpr int kWarpRows = 64, kWarpCols = 32;  // of c, that a warp covers: 2 x 4 warps a block
constexpr int kLaneRows = 8, kLaneCols = 4;    // lanes of a warp, one below the other and side by side
constexpr int kRowStep = kLaneRows * 4;        // from a lane's first four rows to its next four
constexpr int kColStep = kLaneCols * 4;        // from its first four columns to its next four

template <bool kAligned>
__global__ void __launch_bounds__(kThreads, kBlocks)
    matmul_kernel(float* c, const float* a, const float* b, int m, int n, int k) {
  __shared__ alignas(16) float a_tile[2][kDepth][kTileRows + kPad];  // turned around: [l][i] is a's (i, l)
  __shared__ alignas(16) float b_tile[2][kDepth][kTileCols];
  // Blocks are numbered along one axis, for a grid has up to 2^31 - 1 blocks in x but only 65535 in y.
  const int tiles_across = (n + kTileCols - 1) / kTileCols;
  const int row0 = blockIdx.x / tiles_across * kTileRows;  // the block's first row and column in c
  const int col0 = blockIdx.x % tiles_across * kTileCols;

  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int row = warp / (kTileCols / kWarpCols) * kWarpRows + lane / kLaneCols * 4;
  const int col = warp % (kTileCols / kWarpCols) * kWarpCols + lane % kLaneCols * 4;

  // What this thread brings in: 2 threads a row of a's tile, 32 a row of b's.
  const int a_row = threadIdx.x / (kDepth / 4), a_col = threadIdx.x % (kDepth / 4) * 4;
  const int b_row = threadIdx.x / (kTileCols / 4), b_col = threadIdx.x % (kTileCols / 4) * 4;

  float4 a_quad = {}, b_quad[kQuads] = {};  // the next step's, while they are on their way
  const auto fetch = [&](int k0) {          // behind the end of k these are zeros
    a_quad = load_quad<kAligned>(a, row0 + a_row, k0 + a_col, m, k);
#pragma unroll
    for (int q = 0; q < kQuads; ++q)
      b_quad[q] = load_quad<kAligned>(b, k0 + b_row + q * kRowsB, col0 + b_col, k, n);
  };
  const auto put = [&](int set) {
    a_tile[set][a_col][a_row] = a_quad.x;
    a_tile[set][a_col + 1][a_row] = a_quad.y;
    a_tile[set][a_col + 2][a_row] = a_quad.z;
    a_tile[set][a_col + 3][a_row] = a_quad.w;
#pragma unroll
    for (int q = 0; q < kQuads; ++q)
      *reinterpret_cast<float4*>(&b_tile[set][b_row + q * kRowsB][b_col]) = b_quad[q];
  };

  alignas(16) float a_part[kRows], b_part[kCols];  // the factors of one step
  const auto read = [&](int set, int l) {
    for (int i = 0; i < kRows; i += 4)
      *reinterpret_cast<float4*>(&a_part[i]) =
          *reinterpret_cast<const float4*>(&a_tile[set][l][row + i / 4 * kRowStep]);
    for (int j = 0; j < kCols; j += 4)
      *reinterpret_cast<float4*>(&b_part[j]) =
          *reinterpret_cast<const float4*>(&b_tile[set][l][col + j / 4 * kColStep]);
  };
  float sum[kRows][kCols] = {};  // 64 registers
  const auto multiply = [&] {
    for (int i = 0; i < kRows; ++i)
      for (int j = 0; j < kCols; ++j) sum[i][j] += a_part[i] * b_part[j];
  };

  // TODO(1): fetch(k0) starts the loads of the step at k0, put(set) stores them into set 0 or 1 of the tiles,
  //          read(set, l) and multiply() add up the products of its step l. Arrange them so that loads are
  //          under way while the step before is multiplied, with one barrier a round (13 lines).

#pragma unroll
  for (int i = 0; i < kRows; ++i)
#pragma unroll
    for (int j = 0; j < kCols; j += 4)
      store_quad<kAligned>(c, row0 + row + i / 4 * kRowStep + i % 4, col0 + col + j / 4 * kColStep, m, n,
                           {sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]});
}

cudaError_t matmul(float* c, const float* a, const float* b, int m, int n, int k) {
  if (m == 0 || n == 0) return cudaSuccess;
  const unsigned tiles_down = (m + kTileRows - 1) / kTileRows;
  const unsigned tiles_across = (n + kTileCols - 1) / kTileCols;
  if (rows_aligned(c, a, b, n, k))
    matmul_kernel<true><<<tiles_down * tiles_across, kThreads>>>(c, a, b, m, n, k);
  else
    matmul_kernel<false><<<tiles_down * tiles_across, kThreads>>>(c, a, b, m, n, k);
  return cudaGetLastError();
}
