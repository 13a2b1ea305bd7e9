// Rung 1: four products of 8 bits an instruction, added up in 32 bits: a tile of 128 x 128, 64 sums a thread.
#include <cstddef>
#include <cstdint>

#include "epilogue.h"
#include "quantised_matmul.h"

constexpr int BM = 128, BN = 128;  // of c, that a block covers
constexpr int kWords = 8;          // of a step: 32 columns of bytes, four a word
constexpr int kThreads = 256;      // 16 x 16, each with rows 4 y to 4 y + 3 and those 64 further down, and
                                   // likewise columns
constexpr int kPad = 4;            // words behind a row of the tile: where vectors are stored as columns, 16
                                   // rows of one vector and 16 of the next lie in 32 banks

/// Columns of words: word w of row r of the factor is at [w][r], and four rows' words are one vector.
using Tile = std::uint32_t[kWords][BM + kPad];

/// The thread's 16 bytes of a step: those of row thread / 2, the first or the second 16. Zeros where there
/// are none.
__device__ uint4 load(const signed char* matrix, int row, int rows, int col, int cols) {
  row += static_cast<int>(threadIdx.x) / 2;
  col += static_cast<int>(threadIdx.x) % 2 * 16;
  if (row >= rows || col >= cols) return {};
  return *reinterpret_cast<const uint4*>(matrix + static_cast<std::size_t>(row) * cols + col);
}

__device__ void store(Tile& tile, const uint4& bytes) {
  const int row = threadIdx.x / 2, word = threadIdx.x % 2 * 4;
  // TODO(1): the four words of `bytes`, to the tile's columns (4 lines).
  // BEGIN SOLUTION
  tile[word + 0][row] = bytes.x;
  tile[word + 1][row] = bytes.y;
  tile[word + 2][row] = bytes.z;
  tile[word + 3][row] = bytes.w;
  // END SOLUTION
}

__global__ void __launch_bounds__(kThreads, 2)
    int8_kernel(__nv_bfloat16* c, const signed char* a, const signed char* b, const float* a_scale,
                const float* b_scale, int m, int n, int k) {
  __shared__ __align__(16) Tile a_tile, b_tile;
  const int tiles_across = (n + BN - 1) / BN;
  const int row0 = blockIdx.x / tiles_across * BM, col0 = blockIdx.x % tiles_across * BN;
  const int x = threadIdx.x % 16, y = threadIdx.x / 16;
  int sum[8][8] = {};
  uint4 a_next = load(a, row0, m, 0, k), b_next = load(b, col0, n, 0, k);
  for (int k0 = 0; k0 < k; k0 += kWords * 4) {
    store(a_tile, a_next);
    store(b_tile, b_next);
    __syncthreads();  // the tiles are there
    // The next step's bytes are under way while this one is multiplied.
    a_next = load(a, row0, m, k0 + kWords * 4, k);
    b_next = load(b, col0, n, k0 + kWords * 4, k);
#pragma unroll
    for (int word = 0; word < kWords; ++word) {
      int a_part[8], b_part[8];
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        *reinterpret_cast<uint4*>(a_part + 4 * half) =
            *reinterpret_cast<const uint4*>(&a_tile[word][64 * half + 4 * y]);
        *reinterpret_cast<uint4*>(b_part + 4 * half) =
            *reinterpret_cast<const uint4*>(&b_tile[word][64 * half + 4 * x]);
      }
      // TODO(2): the products of these words, four bytes each, to all 64 sums: __dp4a(a, b, sum) is
      //          sum + a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w (5 lines).
      // BEGIN SOLUTION
#pragma unroll
      for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 8; ++j) sum[i][j] = __dp4a(a_part[i], b_part[j], sum[i][j]);
      // END SOLUTION
    }
    __syncthreads();  // and have been read before they are stored over
  }
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const int row = row0 + i / 4 * 64 + 4 * y + i % 4;
    if (row >= m) continue;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int col = col0 + 64 * half + 4 * x;  // n is a multiple of 8: all four columns exist, or none
      if (col >= n) continue;
      // TODO(3): four results, each a sum times both scales, packed by twos and stored as one vector of 8
      //          bytes (7 lines).
      // BEGIN SOLUTION
      float result[4];
#pragma unroll
      for (int j = 0; j < 4; ++j)
        result[j] = static_cast<float>(sum[i][4 * half + j]) * (a_scale[row] * b_scale[col + j]);
      *reinterpret_cast<uint2*>(c + static_cast<std::size_t>(row) * n + col) =
          make_uint2(pack(result[0], result[1]), pack(result[2], result[3]));
      // END SOLUTION
    }
  }
}

cudaError_t int8_matmul(__nv_bfloat16* c, const signed char* a, const signed char* b, const float* a_scale,
                        const float* b_scale, int m, int n, int k) {
  if (m == 0 || n == 0) return cudaSuccess;
  const int tiles = (m + BM - 1) / BM * ((n + BN - 1) / BN);
  int8_kernel<<<tiles, kThreads>>>(c, a, b, a_scale, b_scale, m, n, k);
  return cudaGetLastError();
}
