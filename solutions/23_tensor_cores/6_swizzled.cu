// Rung 6: ldmatrix takes an address from every lane, so a tile may be shuffled instead of padded.
#include "instructions.h"
#include "tensor_cores.h"

constexpr int kTileRows = 128, kTileCols = 128;  // of c, that a block covers
constexpr int kDepth = 32;                       // and takes k in steps of 32
constexpr int kWarpTile = 64;                    // a warp covers 64 x 64 of them
constexpr int kWarpsAcross = kTileCols / kWarpTile;
constexpr int kThreads = kTileRows / kWarpTile * kWarpsAcross * 32;  // 128
constexpr int kEachA = kTileRows * kDepth / 8 / kThreads;  // octets of a's tile that a thread brings in, ...
constexpr int kEachB = kDepth * kTileCols / 8 / kThreads;  // ... and of b's
constexpr int kRowsA = kTileRows / kEachA, kRowsB = kDepth / kEachB;  // from one of these to its next: rows
constexpr int kPiece = 16;                                            // rows and columns of a fragment
constexpr int kPieces = kWarpTile / kPiece;  // fragments down and across a warp's part

/// The tiles of a step, octet by octet.
struct Tiles {
  uint4 a[kTileRows * (kDepth / 8)], b[kDepth * (kTileCols / 8)];
};

/// Where octet `octet` of row `row` of a's tile is stored, counted in octets of 16 bytes. Two rows fill the
/// 32 banks. Of eight rows below each other, no two may have the same octet in the same banks.
__device__ int place_in_a(int row, int octet) {
  int place = 0;
  // TODO(1): ldmatrix reads one octet from each of eight neighbouring rows. With four octets a row, rows r
  //          and r + 2 would meet. Let octets change places within their rows: ^ with 0 to 3, other for each
  //          two rows (1 line).
  // BEGIN SOLUTION
  place = row * (kDepth / 8) + (octet ^ row / 2 % 4);
  // END SOLUTION
  return place;
}

/// The same for b's tile, whose rows fill the banks more than once: here all rows would meet.
__device__ int place_in_b(int row, int octet) {
  int place = 0;
  // TODO(2): ^ with which numbers (1 line)?
  // BEGIN SOLUTION
  place = row * (kTileCols / 8) + (octet ^ row % 8);
  // END SOLUTION
  return place;
}

template <bool kAligned>
__global__ void __launch_bounds__(kThreads)
    matmul_kernel(float* c, const __half* a, const __half* b, int m, int n, int k) {
  __shared__ Tiles tiles;
  const int tiles_across = (n + kTileCols - 1) / kTileCols;
  const int row0 = blockIdx.x / tiles_across * kTileRows;  // the block's first row and column in c
  const int col0 = blockIdx.x % tiles_across * kTileCols;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int row = warp / kWarpsAcross * kWarpTile,
            col = warp % kWarpsAcross * kWarpTile;  // the warp's, in the tile

  // This thread's first octets of the tiles. The others lie below them.
  const int a_row = threadIdx.x / (kDepth / 8), a_octet = threadIdx.x % (kDepth / 8);
  const int b_row = threadIdx.x / (kTileCols / 8), b_octet = threadIdx.x % (kTileCols / 8);
  Octets from_a(a, m, k, row0 + a_row, a_octet * 8), from_b(b, k, n, b_row, col0 + b_octet * 8);
  const auto fetch = [&] {  // the next step's tiles
#pragma unroll
    for (int e = 0; e < kEachA; ++e)
      tiles.a[place_in_a(a_row + e * kRowsA, a_octet)] = load_octet<kAligned>(from_a, e * kRowsA);
#pragma unroll
    for (int e = 0; e < kEachB; ++e)
      tiles.b[place_in_b(b_row + e * kRowsB, b_octet)] = load_octet<kAligned>(from_b, e * kRowsB);
    from_a.move(0, kDepth);
    from_b.move(kDepth, 0);
  };

  unsigned a_fragment[kPieces][4], b_fragment[kPieces][4];
  const auto load = [&](int l) {
#pragma unroll
    for (int i = 0; i < kPieces; ++i) {
      load_matrices(a_fragment[i], &tiles.a[place_in_a(row + i * kPiece + lane % 16, l / 8 + lane / 16)]);
      load_turned(b_fragment[i], &tiles.b[place_in_b(l + lane % 16, (col + i * kPiece) / 8 + lane / 16)]);
    }
  };
  float sum[kPieces][kPieces * 2][4] = {};  // of 16 rows and 8 columns each
  const auto multiply = [&] {
#pragma unroll
    for (int i = 0; i < kPieces; ++i)
#pragma unroll
      for (int j = 0; j < kPieces; ++j) {  // b_fragment holds two halves of 8 columns
        multiply_add(sum[i][2 * j], a_fragment[i], b_fragment[j][0], b_fragment[j][1]);
        multiply_add(sum[i][2 * j + 1], a_fragment[i], b_fragment[j][2], b_fragment[j][3]);
      }
  };

  for (int k0 = 0; k0 < k; k0 += kDepth) {
    fetch();
    __syncthreads();  // the tiles are there before anybody loads from them
#pragma unroll
    for (int l = 0; l < kDepth; l += kPiece) {
      load(l);
      multiply();
    }
    __syncthreads();  // all have loaded before anybody overwrites
  }

#pragma unroll
  for (int i = 0; i < kPieces; ++i)
#pragma unroll
    for (int j = 0; j < kPieces * 2; ++j)
#pragma unroll
      for (int e = 0; e < 4; e += 2) {
        const int c_row = row0 + row + i * kPiece + lane / 4 + e * 4;
        const int c_col = col0 + col + j * 8 + lane % 4 * 2;
        if (c_row < m)
          store_pair(c + static_cast<std::size_t>(c_row) * n, c_col, n, sum[i][j][e], sum[i][j][e + 1]);
      }
}

cudaError_t half_matmul(float* c, const __half* a, const __half* b, int m, int n, int k) {
  if (m == 0 || n == 0) return cudaSuccess;
  const unsigned tiles_down = (m + kTileRows - 1) / kTileRows;
  const unsigned tiles_across = (n + kTileCols - 1) / kTileCols;
  const auto kernel = rows_aligned(a, b, n, k) ? matmul_kernel<true> : matmul_kernel<false>;
  kernel<<<tiles_down * tiles_across, kThreads>>>(c, a, b, m, n, k);
  return cudaGetLastError();
}
