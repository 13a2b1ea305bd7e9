// Rung 6: a tile of 128 x 256. Its octets are used more often, and eight warps take their turns at one
// barrier.
#include "octet.h"
#include "tensor_cores.h"

constexpr int kTileRows = 128, kTileCols = 256;  // of c, that a block covers
constexpr int kDepth = 32;                       // and takes k in steps of 32
constexpr int kWarpTile = 64;                    // a warp covers 64 x 64 of them
constexpr int kWarpsAcross = kTileCols / kWarpTile;
constexpr int kThreads = kTileRows / kWarpTile * kWarpsAcross * 32;  // 256
constexpr int kPiece = 16;  // rows and columns of what one ldmatrix loads, and the step along k
constexpr int kPieces = kWarpTile / kPiece;  // of these, down and across a warp's part
constexpr int kStages = 4;                   // steps whose tiles are in shared memory, or on the way there
constexpr int kOctetsA = kTileRows * kDepth / 8, kOctetsB = kTileCols * kDepth / 8;  // 8 KB and 16 KB
constexpr int kStageBytes = (kOctetsA + kOctetsB) * static_cast<int>(sizeof(uint4));
constexpr int kSharedBytes = kStages * kStageBytes;                        // 96 KB
constexpr int kEachA = kOctetsA / kThreads, kEachB = kOctetsB / kThreads;  // octets that a thread brings in
constexpr int kRowsA = kTileRows / kEachA, kRowsB = kDepth / kEachB;  // from one of these to its next: rows

/// Where octet `octet` of row `row` of a's tile is stored, counted in octets of 16 bytes. Two rows fill the
/// 32 banks. Of eight rows below each other, no two may have the same octet in the same banks.
__device__ int place_in_a(int row, int octet) { return row * (kDepth / 8) + (octet ^ row / 2 % 4); }

/// The same for b's tile, whose rows of 32 octets fill the banks four times: here all rows would meet.
__device__ int place_in_b(int row, int octet) { return row * (kTileCols / 8) + (octet ^ row % 8); }

/// The stages are a ring. Each is known by its first byte in shared memory.
__device__ int stage_after(int stage) { return stage + kStageBytes < kSharedBytes ? stage + kStageBytes : 0; }

/// Loads 16 x 16 halves, as four matrices of 8 x 8. Lane t gives the address of row t % 16, octet t / 16. A
/// lane gets two neighbours of a row from each matrix: row lane / 4, columns lane % 4 * 2 and the next.
__device__ void load_matrices(unsigned (&part)[4], unsigned address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(part[0]), "=r"(part[1]), "=r"(part[2]), "=r"(part[3])
               : "r"(address)
               : "memory");
}

/// The same, with each matrix of 8 x 8 turned around: a lane gets two neighbours of a column. So mma wants b.
__device__ void load_turned(unsigned (&part)[4], unsigned address) {
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

/// Copies an octet to shared memory in the background, past the registers.
__device__ void copy_octet(unsigned address, const __half* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" : : "r"(address), "l"(from) : "memory");
}

/// Ends a group of copies. A step's copies are one group, also where a step has none.
__device__ void end_group() { asm volatile("cp.async.commit_group;" ::: "memory"); }

/// Waits until all but the latest kLeft groups of this thread are there.
template <int kLeft>
__device__ void wait_for_groups() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kLeft) : "memory");
}

template <bool kAligned>
__global__ void __launch_bounds__(kThreads)
    matmul_kernel(float* c, const __half* a, const __half* b, int m, int n, int k) {
  extern __shared__ uint4 tiles[];  // for each stage, a's tile and then b's
  const auto address = static_cast<unsigned>(__cvta_generic_to_shared(tiles));  // in shared memory, in bytes
  const int tiles_across = (n + kTileCols - 1) / kTileCols;
  const int row0 = blockIdx.x / tiles_across * kTileRows;  // the block's first row and column in c
  const int col0 = blockIdx.x % tiles_across * kTileCols;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int row = warp / kWarpsAcross * kWarpTile,
            col = warp % kWarpsAcross * kWarpTile;  // the warp's, in the tile

  // What this thread fetches: octets of rows 64 apart in a's tile, 8 apart in b's. They are shuffled alike.
  const int a_row = threadIdx.x / (kDepth / 8), a_octet = threadIdx.x % (kDepth / 8);
  const int b_row = threadIdx.x / (kTileCols / 8), b_octet = threadIdx.x % (kTileCols / 8);
  const int a_to = place_in_a(a_row, a_octet), b_to = kOctetsA + place_in_b(b_row, b_octet);
  // Where they come from, in the step that is fetched next: places that move on, instead of being worked out
  // anew for every copy. Below a's last row that row will do, and behind b's last octet that octet: such sums
  // are not stored.
  const __half* a_from[kEachA];
#pragma unroll
  for (int e = 0; e < kEachA; ++e)
    a_from[e] = a + static_cast<std::size_t>(min(row0 + a_row + e * kRowsA, m - 1)) * k + a_octet * 8;
  const __half* b_from = b + static_cast<std::size_t>(b_row) * n + min(col0 + b_octet * 8, n - 8);
  const std::size_t b_step = static_cast<std::size_t>(kRowsB) * n;

  int left = k;             // columns of a and rows of b that are not fetched yet
  int filling = 0;          // the stage that is filled next
  const auto fetch = [&] {  // the next step. Where there is none it does nothing, but for ending a group
    if (kAligned && left >= kDepth) {
      // TODO(1): copy_octet() this thread's kEachA octets of a, from a_from[e], and its kEachB octets of b,
      //          which are e * b_step further on than b_from. The e-th goes to e * kThreads * 16 behind the
      //          first, which goes to address + a_to * 16 + filling, or b_to. Then move on by a step (9
      //          lines).
      // BEGIN SOLUTION
#pragma unroll
      for (int e = 0; e < kEachA; ++e) {
        copy_octet(address + a_to * 16 + filling + e * kThreads * 16, a_from[e]);
        a_from[e] += kDepth;
      }
#pragma unroll
      for (int e = 0; e < kEachB; ++e)
        copy_octet(address + b_to * 16 + filling + e * kThreads * 16, b_from + e * b_step);
      b_from += kEachB * b_step;
      // END SOLUTION
    } else if (left > 0) {  // where k ends within the step, or octets are not aligned: not in background
#pragma unroll 1
      for (int e = 0; e < kEachA; ++e)
        tiles[filling / 16 + a_to + e * kThreads] =
            load_octet<kAligned>(a, row0 + a_row + e * kRowsA, k - left + a_octet * 8, m, k);
#pragma unroll 1
      for (int e = 0; e < kEachB; ++e)
        tiles[filling / 16 + b_to + e * kThreads] =
            load_octet<kAligned>(b, k - left + b_row + e * kRowsB, col0 + b_octet * 8, k, n);
    }
    end_group();
    left -= kDepth;
    filling = stage_after(filling);
  };

  // The parts exist twice: of the piece of k that is multiplied, and of the next one. Their places differ
  // from those of piece 0 by whole rows, or in bits of the octet's number, which ^ exchanges, shuffled or
  // not.
  unsigned a_part[2][kPieces][4], b_part[2][kPieces][4];
  unsigned a_at[kDepth / kPiece], b_at[kPieces];  // in the first stage
#pragma unroll
  for (int l = 0; l < kDepth; l += kPiece)
    a_at[l / kPiece] = address + (place_in_a(row + lane % 16, lane / 16) ^ l / 8) * 16;
#pragma unroll
  for (int i = 0; i < kPieces; ++i)
    b_at[i] = address + (kOctetsA + (place_in_b(lane % 16, col / 8 + lane / 16) ^ i * kPiece / 8)) * 16;
  const auto load = [&](int stage, int l) {
    const int half = l / kPiece % 2;
#pragma unroll
    for (int i = 0; i < kPieces; ++i) {
      load_matrices(a_part[half][i], a_at[l / kPiece] + stage + i * kPiece * kDepth * 2);  // 2 bytes each
      load_turned(b_part[half][i], b_at[i] + stage + l * kTileCols * 2);
    }
  };

  float sum[kPieces][kPieces * 2][4] = {};  // of 16 rows and 8 columns each
  const auto multiply = [&](int l) {
    const int half = l / kPiece % 2;
#pragma unroll
    for (int i = 0; i < kPieces; ++i)
#pragma unroll
      for (int j = 0; j < kPieces; ++j) {  // b_part holds two halves of 8 columns
        multiply_add(sum[i][2 * j], a_part[half][i], b_part[half][j][0], b_part[half][j][1]);
        multiply_add(sum[i][2 * j + 1], a_part[half][i], b_part[half][j][2], b_part[half][j][3]);
      }
  };

  // Fetches, waits and loads are arranged as in a pipe: kStages - 1 steps are on their way at any time.
#pragma unroll
  for (int step = 0; step < kStages - 1; ++step) fetch();
  wait_for_groups<kStages - 2>();  // the first step's copies of this thread have arrived ...
  __syncthreads();                 // ... and those of all others
  int stage = 0;                   // the one that is multiplied
  load(stage, 0);
  for (int k0 = 0; k0 < k; k0 += kDepth) {
    fetch();
#pragma unroll
    for (int l = 0; l < kDepth; l += kPiece) {
      if (l + kPiece < kDepth) {
        load(stage, l + kPiece);
      } else {
        wait_for_groups<kStages - 2>();  // the next step's copies of this thread have arrived ...
        __syncthreads();  // ... and those of all others, who are done with this step's tiles, too
        stage = stage_after(stage);
        load(stage, 0);  // after the last step: what lies there is not used
      }
      multiply(l);
    }
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
  // More than 48 KB of shared memory a block are given only to kernels that have asked.
  const cudaError_t error =
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes);
  if (error != cudaSuccess) return error;
  kernel<<<tiles_down * tiles_across, kThreads, kSharedBytes>>>(c, a, b, m, n, k);
  return cudaGetLastError();
}
