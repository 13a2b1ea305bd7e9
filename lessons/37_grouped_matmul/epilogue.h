// From a warp's sums to rows of bf16 that may lie anywhere.
#pragma once

#include "pack.h"
#include "ring.h"

/// Packs 16 x 64 of a warp's sums as rows of 128 bytes in shared memory: vector v, of 16 bytes, of row r is
/// at place v ^ r % 8 of its row, so that neither this nor reading it by rows meets a bank twice.
/// @param sum  of the piece's 64 columns, as wgmma leaves them
__device__ inline void pack_piece(__nv_bfloat16* piece, const float* sum) {
  // stmatrix is ldmatrix the other way: lane t gives the place of row t % 16, vector t / 16, of 16 x 16.
  const int row = threadIdx.x % 16, right = threadIdx.x % 32 / 16;
#pragma unroll
  for (int vec = 0; vec < 8; vec += 2, sum += 8)
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                     shared_address(piece) + row * 128 + ((vec + right) ^ row % 8) * 16),
                 "r"(pack(sum[0], sum[1])), "r"(pack(sum[2], sum[3])), "r"(pack(sum[4], sum[5])),
                 "r"(pack(sum[6], sum[7]))
                 : "memory");
}

/// The first of this warp's 16 rows of a tile.
__device__ inline int first_row(const Tile& tile) {
  return tile.row + (static_cast<int>(threadIdx.x / 32) - 4) * 16;
}

/// Stores a warp's 16 rows of a tile, a piece at a time: eight lanes a row, 16 bytes a lane.
///
/// @param place_of  place_of(i) is the row of y at which row i is stored; it is called for rows that the
///                  tile's expert has, and no others
/// @param n         columns of y, a multiple of 8
template <class PlaceOf>
__device__ void store_rows(__nv_bfloat16* y, Ring& ring, const float (&sum)[BN / 2], const Tile& tile, int n,
                           const PlaceOf& place_of) {
  constexpr int kVec = 8;                    // bf16 in 16 bytes
  constexpr int kLanes = kPieceCols / kVec;  // of a row of a piece
  const int lane = threadIdx.x % 32, vec = lane % kLanes, row0 = first_row(tile);
  __nv_bfloat16* const piece = ring.piece[threadIdx.x / 32 - 4];
  __nv_bfloat16* row_of[16 * kLanes / 32];  // where this lane's rows begin, or null
#pragma unroll
  for (int i = 0; i < 16 * kLanes / 32; ++i) {
    const int row = row0 + i * (32 / kLanes) + lane / kLanes;
    row_of[i] = row < tile.end ? y + static_cast<std::int64_t>(place_of(row)) * n : nullptr;
  }
#pragma unroll
  for (int p = 0; p < BN / kPieceCols; ++p) {
    __syncwarp();  // the piece before has been read
    pack_piece(piece, &sum[p * kPieceCols / 2]);
    __syncwarp();  // the piece is there
    const int col = tile.col + p * kPieceCols + vec * kVec;
#pragma unroll
    for (int i = 0; i < 16 * kLanes / 32; ++i) {
      const int row = i * (32 / kLanes) + lane / kLanes;
      if (row_of[i] == nullptr || col >= n) continue;
      *reinterpret_cast<uint4*>(row_of[i] + col) =
          *reinterpret_cast<const uint4*>(piece + row * kPieceCols + (vec ^ row % 8) * kVec);
    }
  }
}
