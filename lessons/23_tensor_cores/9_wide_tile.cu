// Rung 9: a tile of 128 x 256. Its vectors are used more often, and eight warps take their turns at one
// barrier.
#include "instructions.h"
#include "tensor_cores.h"

constexpr int BM = 128, BN = 256;  // of c, that a block covers
constexpr int BK = 32;             // and takes k in steps of 32
constexpr int WM = 64;             // a warp covers 64 x 64 of them

/// How the block's threads divide the tile among them.
struct Split {
  int warps_across = 1, threads = 32;  // warps side by side; threads of the block
  int each_a = 1, each_b = 1;          // vectors of a's tile that a thread brings in, and of b's
  int rows_a = 1, rows_b = 1;          // rows from one of these to its next
};
constexpr Split split() {
  Split wide;
  // TODO(1): the six numbers for this tile, of which a warp covers 64 x 64 as before. All threads bring in as
  //          many vectors of a's tile, and as many of b's. A row of a's tile has four vectors, one of b's 32
  //          (6 lines).
  return wide;
}
constexpr int kWarpsAcross = split().warps_across, kThreads = split().threads;
constexpr int kEachA = split().each_a, kEachB = split().each_b;
constexpr int kRowsA = split().rows_a, kRowsB = split().rows_b;
constexpr int kFragment = 16;               // rows and columns of a fragment
constexpr int kFragments = WM / kFragment;  // fragments down and across a warp's part
constexpr int kStages = 4;                  // steps whose tiles are in shared memory, or on the way there

/// The tiles of a step, vector by vector.
struct Tiles {
  uint4 a[BM * (BK / 8)], b[BK * (BN / 8)];
};

/// Where 16-byte vector `vec` of row `row` of a's tile is stored, counted in such vectors. Two rows fill the
/// 32 banks. Of eight rows below each other, no two may have the same vector in the same banks.
__device__ int place_in_a(int row, int vec) { return row * (BK / 8) + (vec ^ row / 2 % 4); }

/// The same for b's tile, whose rows fill the banks more than once: here all rows would meet.
__device__ int place_in_b(int row, int vec) { return row * (BN / 8) + (vec ^ row % 8); }

template <bool kAligned>
__global__ void __launch_bounds__(kThreads)
    matmul_kernel(float* c, const __half* a, const __half* b, int m, int n, int k) {
  extern __shared__ Tiles stages[];  // a ring: behind the last comes the first
  const int tiles_across = (n + BN - 1) / BN;
  const int row0 = blockIdx.x / tiles_across * BM;  // the block's first row and column in c
  const int col0 = blockIdx.x % tiles_across * BN;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;

  int row = 0, col = 0;      // the warp's part, in the tile
  int a_row = 0, a_vec = 0;  // this thread's first vectors of the tiles; the others lie below them
  int b_row = 0, b_vec = 0;
  // TODO(2): these six, for warps in two rows and vectors that lie side by side in the order of the threads
  //          (6 lines).

  Half8Rows from_a(a, m, k, row0 + a_row, a_vec * 8), from_b(b, k, n, b_row, col0 + b_vec * 8);
  int filling = 0;          // the stage that is filled next
  const auto fetch = [&] {  // the next step's tiles; zeros, behind the last step
    Tiles& tiles = stages[filling];
    // TODO(3): copy_half8() for each of this thread's vectors of both tiles, to its place (6 lines).
    from_a.move(0, BK);
    from_b.move(BK, 0);
    end_group();
    filling = (filling + 1) % kStages;
  };

  unsigned a_fragment[2][kFragments][4], b_fragment[2][kFragments][4];
  const auto load = [&](int stage, int l) {
    const Tiles& tiles = stages[stage];
    const int half = l / kFragment % 2;
#pragma unroll
    for (int i = 0; i < kFragments; ++i) {
      load_matrices(a_fragment[half][i],
                    &tiles.a[place_in_a(row + i * kFragment + lane % 16, l / 8 + lane / 16)]);
      load_transposed(b_fragment[half][i],
                      &tiles.b[place_in_b(l + lane % 16, (col + i * kFragment) / 8 + lane / 16)]);
    }
  };
  float sum[kFragments][kFragments * 2][4] = {};  // of 16 rows and 8 columns each
  const auto multiply = [&](int l) {
    const int half = l / kFragment % 2;
#pragma unroll
    for (int i = 0; i < kFragments; ++i)
#pragma unroll
      for (int j = 0; j < kFragments; ++j) {  // b_fragment holds two halves of 8 columns
        multiply_add(sum[i][2 * j], a_fragment[half][i], b_fragment[half][j][0], b_fragment[half][j][1]);
        multiply_add(sum[i][2 * j + 1], a_fragment[half][i], b_fragment[half][j][2], b_fragment[half][j][3]);
      }
  };

#pragma unroll
  for (int step = 0; step < kStages - 1; ++step) fetch();  // so many are on their way at any time
  int stage = 0;                                           // the one that is multiplied
  const auto begin_stage = [&] {
    wait_for_groups<kStages - 2>();  // its copies of this thread have arrived ...
    __syncthreads();                 // ... and those of all others, who are done with the stage before, too
    fetch();                         // into that one
    load(stage, 0);                  // after the last step: zeros
  };
  begin_stage();
  for (int k0 = 0; k0 < k; k0 += BK) {
#pragma unroll
    for (int l = 0; l < BK; l += kFragment) {
      if (l + kFragment < BK) {
        load(stage, l + kFragment);
      } else {
        stage = (stage + 1) % kStages;
        begin_stage();
      }
      multiply(l);
    }
  }
  wait_for_groups<0>();  // nobody leaves before its copies have arrived, though they were zeros from behind k

#pragma unroll
  for (int i = 0; i < kFragments; ++i)
#pragma unroll
    for (int j = 0; j < kFragments * 2; ++j)
#pragma unroll
      for (int e = 0; e < 4; e += 2) {
        const int c_row = row0 + row + i * kFragment + lane / 4 + e * 4;
        const int c_col = col0 + col + j * 8 + lane % 4 * 2;
        if (c_row < m)
          store_pair(c + static_cast<std::size_t>(c_row) * n, c_col, n, sum[i][j][e], sum[i][j][e + 1]);
      }
}

cudaError_t half_matmul(float* c, const __half* a, const __half* b, int m, int n, int k) {
  if (m == 0 || n == 0) return cudaSuccess;
  const unsigned tiles_down = (m + BM - 1) / BM;
  const unsigned tiles_across = (n + BN - 1) / BN;
  const auto kernel = rows_aligned(a, b, n, k) ? matmul_kernel<true> : matmul_kernel<false>;
  // More than 48 KB of shared memory a block are given only to kernels that have asked.
  constexpr int kSharedBytes = kStages * static_cast<int>(sizeof(Tiles));
  const cudaError_t error =
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes);
  if (error != cudaSuccess) return error;
  kernel<<<tiles_down * tiles_across, kThreads, kSharedBytes>>>(c, a, b, m, n, k);
  return cudaGetLastError();
}
