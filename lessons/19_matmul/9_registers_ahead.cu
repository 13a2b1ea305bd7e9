// Rung 9: the same one level up. While a step is multiplied, the next one's factors come into registers.
#include "matmul.h"
#include "quad.h"

constexpr int kTile = 128;                                 // a block covers 128 x 128 elements of c
constexpr int kDepth = 8;                                  // and takes k in steps of 8
constexpr int kEach = 8;                                   // a thread has 8 x 8 sums: four groups of 4 x 4
constexpr int kThreads = kTile * kTile / (kEach * kEach);  // 256: each brings in four of a and four of b
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
  __shared__ alignas(16) float a_tile[2][kDepth][kTile + kPad];  // turned around: [l][i] is a's (i, l)
  __shared__ alignas(16) float b_tile[2][kDepth][kTile];
  const int tiles_across = (n + kTile - 1) / kTile;
  const int row0 = blockIdx.x / tiles_across * kTile;  // the block's first row and column in c
  const int col0 = blockIdx.x % tiles_across * kTile;

  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int row = warp / (kTile / kWarpCols) * kWarpRows + lane / kLaneCols * 4;
  const int col = warp % (kTile / kWarpCols) * kWarpCols + lane % kLaneCols * 4;

  // What this thread brings in: 2 threads a row of a's tile, 32 a row of b's.
  const int a_row = threadIdx.x / (kDepth / 4), a_col = threadIdx.x % (kDepth / 4) * 4;
  const int b_row = threadIdx.x / (kTile / 4), b_col = threadIdx.x % (kTile / 4) * 4;

  // Where from, in the step that is fetched next: places that move on, instead of being worked out anew.
  // Below a's last row that row will do, and behind b's last quad that quad: such sums are not stored.
  const float* a_from = a + static_cast<std::size_t>(min(row0 + a_row, m - 1)) * k + a_col;
  const float* b_from = b + static_cast<std::size_t>(b_row) * n + min(col0 + b_col, n - 4);

  float4 a_quad = {}, b_quad = {};    // the next step's, while they are on their way
  const auto fetch = [&](int left) {  // where so many columns of a and rows of b are left
    if constexpr (kAligned) {
      if (left >= kDepth) {  // all steps but, perhaps, the last: no condition
        a_quad = *reinterpret_cast<const float4*>(a_from);
        b_quad = *reinterpret_cast<const float4*>(b_from);
      } else {
        a_quad = a_col < left ? *reinterpret_cast<const float4*>(a_from) : float4{};
        b_quad = b_row < left ? *reinterpret_cast<const float4*>(b_from) : float4{};
      }
      a_from += kDepth;
      b_from += static_cast<std::size_t>(kDepth) * n;
    } else {
      a_quad = load_quad<false>(a, row0 + a_row, k - left + a_col, m, k);
      b_quad = load_quad<false>(b, k - left + b_row, col0 + b_col, k, n);
    }
  };
  const auto put = [&](int set) {
    a_tile[set][a_col][a_row] = a_quad.x;
    a_tile[set][a_col + 1][a_row] = a_quad.y;
    a_tile[set][a_col + 2][a_row] = a_quad.z;
    a_tile[set][a_col + 3][a_row] = a_quad.w;
    *reinterpret_cast<float4*>(&b_tile[set][b_row][b_col]) = b_quad;
  };

  alignas(16) float a_part[2][kEach], b_part[2][kEach];  // of the step at hand and of the next one
  const auto read = [&](int set, int l) {
#pragma unroll
    for (int i = 0; i < kEach; i += 4) {
      *reinterpret_cast<float4*>(&a_part[l % 2][i]) =
          *reinterpret_cast<const float4*>(&a_tile[set][l][row + i / 4 * kRowStep]);
      *reinterpret_cast<float4*>(&b_part[l % 2][i]) =
          *reinterpret_cast<const float4*>(&b_tile[set][l][col + i / 4 * kColStep]);
    }
  };
  float sum[kEach][kEach] = {};  // 64 registers
  const auto multiply = [&](int l) {
#pragma unroll
    for (int i = 0; i < kEach; ++i)
#pragma unroll
      for (int j = 0; j < kEach; ++j) sum[i][j] += a_part[l % 2][i] * b_part[l % 2][j];
  };

  fetch(k);
  put(0);
  __syncthreads();  // the first tiles are there
  read(0, 0);
  for (int left = k, set = 0; left > 0; left -= kDepth, set ^= 1) {
    if (left > kDepth) fetch(left - kDepth);  // nobody waits for it before put() needs it
#pragma unroll
    for (int l = 0; l < kDepth; ++l) {
      // TODO(1): read(set, l) fetches the factors of step l, multiply(l) adds up their products. Read those
      //          of the step after l before multiplying; after the last step that is step 0 of the other
      //          set, which has to be put there first, with a barrier behind it (8 lines).
    }
  }

#pragma unroll
  for (int i = 0; i < kEach; ++i)
#pragma unroll
    for (int j = 0; j < kEach; j += 4)
      store_quad<kAligned>(c, row0 + row + i / 4 * kRowStep + i % 4, col0 + col + j / 4 * kColStep, m, n,
                           {sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]});
}

cudaError_t matmul(float* c, const float* a, const float* b, int m, int n, int k) {
  if (m == 0 || n == 0) return cudaSuccess;
  const unsigned tiles_down = (m + kTile - 1) / kTile, tiles_across = (n + kTile - 1) / kTile;
  if (rows_aligned(c, a, b, n, k))
    matmul_kernel<true><<<tiles_down * tiles_across, kThreads>>>(c, a, b, m, n, k);
  else
    matmul_kernel<false><<<tiles_down * tiles_across, kThreads>>>(c, a, b, m, n, k);
  return cudaGetLastError();
}
