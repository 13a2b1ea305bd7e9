// Rung 4: the instructions underneath take an address from every lane, so a tile may be shuffled.
#include "octet.h"
#include "tensor_cores.h"

constexpr int kTile = 128;     // a block covers 128 x 128 elements of c
constexpr int kDepth = 32;     // and takes k in steps of 32
constexpr int kWarpTile = 64;  // a warp covers 64 x 64 of them
constexpr int kWarpsAcross = kTile / kWarpTile;
constexpr int kThreads = kWarpsAcross * kWarpsAcross * 32;  // 128
constexpr int kEach = kTile * kDepth / 8 / kThreads;        // octets of each tile that a thread brings in
constexpr int kPiece = 16;  // rows and columns of what one ldmatrix loads, and the step along k
constexpr int kPieces = kWarpTile / kPiece;  // of these, down and across a warp's part

/// Where octet `octet` of row `row` of a's tile is stored, counted in octets of 16 bytes. Two rows fill the
/// 32 banks. Of eight rows below each other, no two may have the same octet in the same banks.
__device__ int place_in_a(int row, int octet) {
  int shuffled = octet;
  // TODO(1): ldmatrix reads one octet from each of eight neighbouring rows. With four octets a row, rows r
  //          and r + 2 would meet. Let them change places within their rows: ^ with 0 to 3, other for each
  //          two rows (1 line).
  // BEGIN SOLUTION
  shuffled = octet ^ row / 2 % 4;
  // END SOLUTION
  return row * (kDepth / 8) + shuffled;
}

/// The same for b's tile, whose rows of 16 octets fill the banks twice: here all rows would meet.
__device__ int place_in_b(int row, int octet) { return row * (kTile / 8) + (octet ^ row % 8); }

/// Loads 16 x 16 halves, as four matrices of 8 x 8. Lane t gives the address of row t % 16, octet t / 16. A
/// lane gets two neighbours of a row from each matrix: row lane / 4, columns lane % 4 * 2 and the next.
__device__ void load_matrices(unsigned (&part)[4], const uint4* place) {
  const auto address = static_cast<unsigned>(__cvta_generic_to_shared(place));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(part[0]), "=r"(part[1]), "=r"(part[2]), "=r"(part[3])
               : "r"(address)
               : "memory");
}

/// The same, with each matrix of 8 x 8 turned around: a lane gets two neighbours of a column. So mma wants b.
__device__ void load_turned(unsigned (&part)[4], const uint4* place) {
  const auto address = static_cast<unsigned>(__cvta_generic_to_shared(place));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(part[0]), "=r"(part[1]), "=r"(part[2]), "=r"(part[3])
               : "r"(address)
               : "memory");
}

/// sum += a * b for 16 x 16 of a and 16 x 8 of b. A lane has sums of row lane / 4, columns lane % 4 * 2 and
/// the next, in sum[0] and sum[1], and eight rows further down in sum[2] and sum[3].
__device__ void multiply_add(float (&sum)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, "
      "%1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

template <bool kAligned>
__global__ void __launch_bounds__(kThreads)
    matmul_kernel(float* c, const __half* a, const __half* b, int m, int n, int k) {
  __shared__ uint4 a_tile[kTile * kDepth / 8], b_tile[kDepth * kTile / 8];
  const int tiles_across = (n + kTile - 1) / kTile;
  const int row0 = blockIdx.x / tiles_across * kTile;  // the block's first row and column in c
  const int col0 = blockIdx.x % tiles_across * kTile;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int row = warp / kWarpsAcross * kWarpTile,
            col = warp % kWarpsAcross * kWarpTile;  // the warp's, in the tile

  float sum[kPieces][kPieces * 2][4] = {};  // of 16 rows and 8 columns each
  for (int k0 = 0; k0 < k; k0 += kDepth) {
#pragma unroll
    for (int e = 0; e < kEach; ++e) {  // so that all loads are under way before the first is stored
      const int i = e * kThreads + threadIdx.x;
      const int a_row = i / (kDepth / 8), a_octet = i % (kDepth / 8);
      const int b_row = i / (kTile / 8), b_octet = i % (kTile / 8);
      a_tile[place_in_a(a_row, a_octet)] = load_octet<kAligned>(a, row0 + a_row, k0 + a_octet * 8, m, k);
      b_tile[place_in_b(b_row, b_octet)] = load_octet<kAligned>(b, k0 + b_row, col0 + b_octet * 8, k, n);
    }
    __syncthreads();  // the tiles are there before anybody loads from them

#pragma unroll
    for (int l = 0; l < kDepth; l += kPiece) {
      unsigned a_part[kPieces][4], b_part[kPieces][4];
      // TODO(2): load piece i of a, 16 rows from row + 16 * i on and columns from l on, and piece i of b, 16
      //          rows from l on and columns from col + 16 * i on. Which row and octet is this lane's to give
      //          (6 lines)?
      // BEGIN SOLUTION
#pragma unroll
      for (int i = 0; i < kPieces; ++i) {
        load_matrices(a_part[i], &a_tile[place_in_a(row + i * kPiece + lane % 16, l / 8 + lane / 16)]);
        load_turned(b_part[i], &b_tile[place_in_b(l + lane % 16, (col + i * kPiece) / 8 + lane / 16)]);
      }
      // END SOLUTION
#pragma unroll
      for (int i = 0; i < kPieces; ++i)
#pragma unroll
        for (int j = 0; j < kPieces; ++j) {  // b_part holds two halves of 8 columns
          multiply_add(sum[i][2 * j], a_part[i], b_part[j][0], b_part[j][1]);
          multiply_add(sum[i][2 * j + 1], a_part[i], b_part[j][2], b_part[j][3]);
        }
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
  const unsigned tiles_down = (m + kTile - 1) / kTile, tiles_across = (n + kTile - 1) / kTile;
  const auto kernel = rows_aligned(a, b, n, k) ? matmul_kernel<true> : matmul_kernel<false>;
  kernel<<<tiles_down * tiles_across, kThreads>>>(c, a, b, m, n, k);
  return cudaGetLastError();
}
