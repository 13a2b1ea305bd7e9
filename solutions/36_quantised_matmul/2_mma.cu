// Rung 2: Tensor Cores for integers: 16 x 8 x 32 a warp and instruction, fragments by ldmatrix, and tiles
// that are copied in the background, three steps ahead.
#include <cstddef>

#include "epilogue.h"
#include "instructions.h"
#include "quantised_matmul.h"

constexpr int BM = 128, BN = 128;  // of c, that a block covers
constexpr int BK = 128;            // and takes k in steps of 128 bytes: eight vectors of 16
constexpr int kThreads = 256;      // 2 x 4 warps of 64 x 32
constexpr int kDown = 4;           // products of 16 rows below each other, of a warp
constexpr int kAcross = 4;         // and of 8 columns beside each other
constexpr int kStages = 3;         // steps whose tiles are in shared memory, or on the way there

struct Stage {
  unsigned char a[BM * BK], b[BN * BK];
};

/// Where vector @p vec of row @p row is: rows of 128 bytes, swizzled, so that a vector of eight rows below
/// each other is in all 32 banks.
__device__ int place(int row, int vec) { return row * BK + (vec ^ row % 8) * 16; }

/// Starts the copies of a tile of 128 rows. Zeros come from outside of the matrix.
__device__ void copy_tile(unsigned char* tile, const signed char* matrix, int row0, int rows, int col0,
                          int cols) {
#pragma unroll
  for (int i = threadIdx.x; i < BM * BK / 16; i += kThreads) {
    const int row = i / (BK / 16), vec = i % (BK / 16), col = col0 + vec * 16;
    const bool there = row0 + row < rows && col < cols;
    const std::size_t from = there ? static_cast<std::size_t>(row0 + row) * cols + col : 0;
    copy_async(tile + place(row, vec), matrix + from, there);
  }
}

/// sum += a * b for 16 x 32 integers of a and 32 x 8 of b. A lane has sums as of every product of 16 x 8: row
/// lane / 4, columns lane % 4 * 2 and the next, and those of the row eight further down.
__device__ void multiply_add(int (&sum)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  // TODO(1): mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32, written as multiply_add() in instructions.h is
  //          for bf16; sums are "+r" now (5 lines).
  // BEGIN SOLUTION
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
  // END SOLUTION
}

/// The products of a step, of a warp's rows and columns.
__device__ void multiply(int (&sum)[kDown][kAcross][4], const Stage& stage, int row, int col) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int l = 0; l < BK / 32; ++l) {
    unsigned a[kDown][4], b[kAcross / 2][4];
    // TODO(2): fragments. Those of a: of 16 rows, bytes 0 to 15 of rows 0 to 7, of rows 8 to 15, then bytes
    //          16 to 31 of both. Those of b: of 8 of its rows, that are columns of c, bytes 0 to 15 and 16 to
    //          31, then the same of the next 8. Step l begins at vector 2 * l (6 lines).
    // BEGIN SOLUTION
#pragma unroll
    for (int i = 0; i < kDown; ++i)
      load_matrices(a[i], stage.a + place(row + i * 16 + lane % 16, 2 * l + lane / 16));
#pragma unroll
    for (int j = 0; j < kAcross / 2; ++j)
      load_matrices(b[j], stage.b + place(col + j * 16 + lane / 16 * 8 + lane % 8, 2 * l + lane / 8 % 2));
      // END SOLUTION
#pragma unroll
    for (int i = 0; i < kDown; ++i)
#pragma unroll
      for (int j = 0; j < kAcross; ++j)
        multiply_add(sum[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
  }
}

__global__ void __launch_bounds__(kThreads, 2)
    int8_kernel(__nv_bfloat16* c, const signed char* a, const signed char* b, const float* a_scale,
                const float* b_scale, int m, int n, int k) {
  extern __shared__ __align__(128) unsigned char memory[];
  Stage* const stages = reinterpret_cast<Stage*>(memory);
  const int tiles_across = (n + BN - 1) / BN;
  const int row0 = blockIdx.x / tiles_across * BM, col0 = blockIdx.x % tiles_across * BN;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int row = warp / 4 * 64, col = warp % 4 * 32;  // the warp's first, in the tile
  const int steps = (k + BK - 1) / BK;
  const auto copy = [&](int step) {
    if (step < steps) {
      copy_tile(stages[step % kStages].a, a, row0, m, step * BK, k);
      copy_tile(stages[step % kStages].b, b, col0, n, step * BK, k);
    }
    end_group();  // an empty one, too: so many groups are always the same steps
  };
  for (int step = 0; step < kStages - 1; ++step) copy(step);
  int sum[kDown][kAcross][4] = {};
  for (int step = 0; step < steps; ++step) {
    // TODO(3): wait for this step's tiles, your own copies and then everybody's; start the copies that go to
    //          the stage which was read a step ago; multiply (4 lines).
    // BEGIN SOLUTION
    wait_for_groups<kStages - 2>();
    __syncthreads();  // all copies of this step are there, and all have read the step before
    copy(step + kStages - 1);
    multiply(sum, stages[step % kStages], row, col);
    // END SOLUTION
  }
#pragma unroll
  for (int i = 0; i < 2 * kDown; ++i) {
    const int c_row = row0 + row + i * 8 + lane / 4;
    if (c_row >= m) continue;
    const float scale = a_scale[c_row];
#pragma unroll
    for (int j = 0; j < kAcross; ++j) {
      const int c_col = col0 + col + j * 8 + lane % 4 * 2;
      if (c_col >= n) continue;
      const int* const pair = sum[i / 2][j] + i % 2 * 2;
      *reinterpret_cast<unsigned*>(c + static_cast<std::size_t>(c_row) * n + c_col) =
          pack(static_cast<float>(pair[0]) * (scale * b_scale[c_col]),
               static_cast<float>(pair[1]) * (scale * b_scale[c_col + 1]));
    }
  }
}

cudaError_t int8_matmul(__nv_bfloat16* c, const signed char* a, const signed char* b, const float* a_scale,
                        const float* b_scale, int m, int n, int k) {
  if (m == 0 || n == 0) return cudaSuccess;
  constexpr int kBytes = kStages * sizeof(Stage);
  // More than 48 KB of shared memory a block are given only to kernels that have asked.
  const cudaError_t error =
      cudaFuncSetAttribute(int8_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes);
  if (error != cudaSuccess) return error;
  const int tiles = (m + BM - 1) / BM * ((n + BN - 1) / BN);
  int8_kernel<<<tiles, kThreads, kBytes>>>(c, a, b, a_scale, b_scale, m, n, k);
  return cudaGetLastError();
}
