// Rung 5: the instructions underneath, ldmatrix and mma.sync. Which lane has which element is known, so the
// sums go straight to c.
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
constexpr int kPad = 1;  // vectors that are left free behind each row of the tiles

/// The tiles of a step, vector by vector.
struct Tiles {
  uint4 a[BM * (BK / 8 + kPad)], b[BK * (BN / 8 + kPad)];
};

/// Where 16-byte vector `vec` of row `row` of a's tile is stored, counted in such vectors.
__device__ int place_in_a(int row, int vec) { return row * (BK / 8 + kPad) + vec; }

/// The same for b's tile.
__device__ int place_in_b(int row, int vec) { return row * (BN / 8 + kPad) + vec; }

template <bool kAligned>
__global__ void __launch_bounds__(kThreads)
    matmul_kernel(float* c, const __half* a, const __half* b, int m, int n, int k) {
  __shared__ Tiles tiles;
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
  const auto fetch = [&] {  // the next step's tiles
#pragma unroll
    for (int e = 0; e < kEachA; ++e)
      tiles.a[place_in_a(a_row + e * kRowsA, a_vec)] = load_half8<kAligned>(from_a, e * kRowsA);
#pragma unroll
    for (int e = 0; e < kEachB; ++e)
      tiles.b[place_in_b(b_row + e * kRowsB, b_vec)] = load_half8<kAligned>(from_b, e * kRowsB);
    from_a.move(0, BK);
    from_b.move(BK, 0);
  };

  float sum[kFragments][kFragments * 2][4] = {};  // of 16 rows and 8 columns each
  unsigned a_fragment[kFragments][4], b_fragment[kFragments][4];
  // TODO(1): the loop over k. For each step of BK fetch() the tiles, and for each kFragment columns of a: by
  //          load_matrices(), which is ldmatrix, kFragments fragments of a, of which fragment i has 16 rows
  //          from row + i * kFragment on and columns from l on; by load_transposed() as many of b, 16 rows
  //          from l on and columns from col + i * kFragment on; and by multiply_add(), which is mma.sync, all
  //          of their products. Which row and vector of a tile is this lane's to give? multiply_add() takes
  //          16 x 8 of b, half of a fragment: which of a lane's four registers have the left eight columns?
  //          And where are barriers needed (27 lines)?
  // BEGIN SOLUTION
  const auto load = [&](int l) {
#pragma unroll
    for (int i = 0; i < kFragments; ++i) {
      load_matrices(a_fragment[i], &tiles.a[place_in_a(row + i * kFragment + lane % 16, l / 8 + lane / 16)]);
      load_transposed(b_fragment[i],
                      &tiles.b[place_in_b(l + lane % 16, (col + i * kFragment) / 8 + lane / 16)]);
    }
  };
  const auto multiply = [&] {
#pragma unroll
    for (int i = 0; i < kFragments; ++i)
#pragma unroll
      for (int j = 0; j < kFragments; ++j) {  // b_fragment holds two halves of 8 columns
        multiply_add(sum[i][2 * j], a_fragment[i], b_fragment[j][0], b_fragment[j][1]);
        multiply_add(sum[i][2 * j + 1], a_fragment[i], b_fragment[j][2], b_fragment[j][3]);
      }
  };

  for (int k0 = 0; k0 < k; k0 += BK) {
    fetch();
    __syncthreads();  // the tiles are there before anybody loads from them
#pragma unroll
    for (int l = 0; l < BK; l += kFragment) {
      load(l);
      multiply();
    }
    __syncthreads();  // all have loaded before anybody overwrites
  }
  // END SOLUTION

  // TODO(2): the epilogue, without shared memory: instructions.h says which row and columns the four sums of
  //          sum[i][j] are. Store two neighbours at a time by store_pair(), in rows that c has (11 lines).
  // BEGIN SOLUTION
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
  // END SOLUTION
}

cudaError_t half_matmul(float* c, const __half* a, const __half* b, int m, int n, int k) {
  if (m == 0 || n == 0) return cudaSuccess;
  const unsigned tiles_down = (m + BM - 1) / BM;
  const unsigned tiles_across = (n + BN - 1) / BN;
  const auto kernel = rows_aligned(a, b, n, k) ? matmul_kernel<true> : matmul_kernel<false>;
  kernel<<<tiles_down * tiles_across, kThreads>>>(c, a, b, m, n, k);
  return cudaGetLastError();
}
