// Rung 7: four stages in shared memory, filled by copies that no register and no thread waits for.
#include "instructions.h"
#include "tensor_cores.h"

constexpr int BM = 128, BN = 128;  // of c, that a block covers
constexpr int BK = 32;             // and takes k in steps of 32
constexpr int WM = 64;             // a warp covers 64 x 64 of them
constexpr int kWarpsAcross = BN / WM;
constexpr int kThreads = BM / WM * kWarpsAcross * 32;      // 128
constexpr int kEachA = BM * BK / 8 / kThreads;             // vectors of a's tile that a thread brings in, ...
constexpr int kEachB = BK * BN / 8 / kThreads;             // ... and of b's
constexpr int kRowsA = BM / kEachA, kRowsB = BK / kEachB;  // from one of these to its next: rows
constexpr int kFragment = 16;                              // rows and columns of a fragment
constexpr int kFragments = WM / kFragment;                 // fragments down and across a warp's part
constexpr int kStages = 4;  // steps whose tiles are in shared memory, or on the way there

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
  const int row = warp / kWarpsAcross * WM,
            col = warp % kWarpsAcross * WM;  // the warp's, in the tile

  // This thread's first vectors of the tiles. The others lie below them.
  const int a_row = threadIdx.x / (BK / 8), a_vec = threadIdx.x % (BK / 8);
  const int b_row = threadIdx.x / (BN / 8), b_vec = threadIdx.x % (BN / 8);
  Half8Rows from_a(a, m, k, row0 + a_row, a_vec * 8), from_b(b, k, n, b_row, col0 + b_vec * 8);
  int filling = 0;          // the stage that is filled next
  const auto fetch = [&] {  // the next step's tiles; zeros, behind the last step
    Tiles& tiles = stages[filling];
    // TODO(1): let this thread's vectors of a and of b be copied by copy_half8(), which is cp.async, in place
    //          of rung 6's loads and stores: it takes the place in the tile, from_a or from_b, and how many
    //          rows below. Move both places on to the next step, end the group of copies, and go on to the
    //          next stage of the ring (10 lines).
  };

  unsigned a_fragment[kFragments][4], b_fragment[kFragments][4];
  const auto load = [&](int stage, int l) {
    const Tiles& tiles = stages[stage];
#pragma unroll
    for (int i = 0; i < kFragments; ++i) {
      load_matrices(a_fragment[i], &tiles.a[place_in_a(row + i * kFragment + lane % 16, l / 8 + lane / 16)]);
      load_transposed(b_fragment[i],
                      &tiles.b[place_in_b(l + lane % 16, (col + i * kFragment) / 8 + lane / 16)]);
    }
  };
  float sum[kFragments][kFragments * 2][4] = {};  // of 16 rows and 8 columns each
  const auto multiply = [&] {
#pragma unroll
    for (int i = 0; i < kFragments; ++i)
#pragma unroll
      for (int j = 0; j < kFragments; ++j) {  // b_fragment holds two halves of 8 columns
        multiply_add(sum[i][2 * j], a_fragment[i], b_fragment[j][0], b_fragment[j][1]);
        multiply_add(sum[i][2 * j + 1], a_fragment[i], b_fragment[j][2], b_fragment[j][3]);
      }
  };

  // TODO(2): the pipeline of the picture in the README. First fetch so many steps as are to be on their way
  //          at any time. Then for each step: wait for its copies, this thread's by wait_for_groups() and all
  //          others' by a barrier; fetch into the stage that was read in the step before; load and multiply
  //          this one; go on to the next stage. In the end no copy may be on its way any more (15 lines).

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
  // TODO(3): the stages take more than 48 KB of shared memory, which a block gets only where the kernel has
  //          asked for it: cudaFuncSetAttribute with cudaFuncAttributeMaxDynamicSharedMemorySize. Return its
  //          error, if there is one; else launch, a block for each tile of c, with that much dynamic shared
  //          memory (5 lines).
  return cudaGetLastError();
}
