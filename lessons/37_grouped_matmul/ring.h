// What lesson 27 ends with, for tiles that end where their expert's rows do: a warpgroup that copies, two
// that multiply, a ring of stages between them. What a tile is, and who works on which, is this lesson's.
#pragma once

#include "common/tensor_map.h"
#include "common/tma.h"
#include "common/wgmma.h"
#include "grouped_matmul.h"

constexpr int BM = 128, BN = 256;              // of y, that a tile covers
constexpr int BK = 64;                         // and takes k in steps of 64: rows of 128 bytes
constexpr int kGroups = BM / 64;               // warpgroups that multiply, each 64 x 256
constexpr int kThreads = (1 + kGroups) * 128;  // and one that copies
constexpr int kStages = 4;                     // steps whose tiles are in shared memory, or on the way there
constexpr int kPieceCols = 64;                 // columns of a warp's sums that are packed at a time

/// The ring, and a piece of y for each warp that multiplies. All begin at multiples of 1024 bytes, as the
/// swizzle wants it.
struct Ring {
  __nv_bfloat16 x[kStages][BM * BK], w[kStages][BN * BK];
  __nv_bfloat16 piece[kGroups * 4][16 * kPieceCols];
  std::uint64_t full[kStages];   // the stage's tiles are there
  std::uint64_t empty[kStages];  // and have been read
};

/// A tile of y.
struct Tile {
  int row, end;  // its first row, and the one behind the last row of its expert
  int col;       // its first column
  int expert;
};

/// A place in the ring. Each time round, the stages' mbarriers are in the next phase.
struct Place {
  int stage = 0, parity = 0;
  __device__ void advance() {
    if (++stage == kStages) stage = 0, parity ^= 1;
  }
};

/// -1 is the warpgroup that copies, 0 and 1 are those that multiply.
__device__ inline int group_number() { return static_cast<int>(threadIdx.x / 128) - 1; }

/// All threads of the block call this first.
/// @param arrivals  of threads, that make a stage full
__device__ inline void initialise(Ring& ring, int arrivals) {
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < kStages; ++stage) {
      mbarrier_init(&ring.full[stage], arrivals);
      mbarrier_init(&ring.empty[stage], kGroups);
    }
    fence_mbarrier_init();
  }
  __syncthreads();  // nobody copies or waits before the mbarriers are there
}

/// One thread copies the rows and the weights of a tile, step by step. Rows of the next expert that follow in
/// x, and in w, are copied, too: their sums are never stored.
/// @param map_w  of w as [experts * n][k]
__device__ inline void copy(Ring& ring, Place& place, const CUtensorMap& map_x, const CUtensorMap& map_w,
                            const Tile& tile, int n, int k) {
  for (int k0 = 0; k0 < k; k0 += BK) {
    std::uint64_t* const full = &ring.full[place.stage];
    mbarrier_wait(&ring.empty[place.stage], place.parity ^ 1);
    mbarrier_arrive_expect_tx(full, sizeof ring.x[0] + sizeof ring.w[0]);
    tma_load_2d(ring.x[place.stage], map_x, k0, tile.row, full);
    tma_load_2d(ring.w[place.stage], map_w, k0, tile.expert * n + tile.col, full);
    place.advance();
  }
}

/// A warpgroup multiplies its 64 rows of a tile, which copy() or its like brings.
__device__ inline void multiply(Ring& ring, Place& place, float (&sum)[BN / 2], int k) {
  int before = 0;  // the stage of the step before
  const auto release = [&](int stage) {
    if (threadIdx.x % 128 == 0) mbarrier_arrive(&ring.empty[stage]);
  };
  for (int k0 = 0; k0 < k; k0 += BK) {
    mbarrier_wait(&ring.full[place.stage], place.parity);
    const std::uint64_t x_rows = wgmma_descriptor(ring.x[place.stage] + group_number() * 64 * BK);
    const std::uint64_t w_rows = wgmma_descriptor(ring.w[place.stage]);
    wgmma_fence();
#pragma unroll
    for (int l = 0; l < BK / 16; ++l) wgmma_m64n256k16(sum, x_rows + 2 * l, w_rows + 2 * l, k0 + l > 0);
    wgmma_commit_group();
    if (k0 > 0) {
      wgmma_wait_group<1>();  // the products of the step before are done
      release(before);
    }
    before = place.stage;
    place.advance();
  }
  wgmma_wait_group<0>();
  release(before);  // the last stage, too: it is filled for the next tile while this one is stored
}
