// Rung 4: warps with roles. One copies, four multiply, and a ring of stages is between them: nobody
// waits for the whole block any more.
#include "common/tensor_map.h"
#include "common/tma.h"
#include "common/wgmma.h"
#include "epilogue.h"
#include "hopper_matmul.h"

constexpr int BM = 128, BN = 128;   // of c, that a block covers
constexpr int BK = 64;              // and takes k in steps of 64: rows of 128 bytes
constexpr int kConsumers = 128;     // threads: a warpgroup
constexpr int kThreads = 128 + 32;  // and a warp that copies
constexpr int kDown = BM / 64;      // products of 64 rows below each other
constexpr int kStages = 4;          // steps whose tiles are in shared memory, or on the way there

/// The ring. Tiles first: they begin at multiples of 1024 bytes, as the swizzle wants it.
struct Shared {
  __nv_bfloat16 a[kStages][BM * BK], b[kStages][BN * BK];
  std::uint64_t full[kStages];   // the stage's tiles are there
  std::uint64_t empty[kStages];  // and have been read
};

/// A place in the ring. Each time round, the stages' mbarriers are in the next phase.
struct Place {
  int stage = 0, parity = 0;
  __device__ void advance() {
    // TODO(1): the next stage; behind the last comes the first, with the other parity (1 line).
    // BEGIN SOLUTION
    if (++stage == kStages) stage = 0, parity ^= 1;
    // END SOLUTION
  }
};

__global__ void __launch_bounds__(kThreads)
    matmul_kernel(__nv_bfloat16* c, const __grid_constant__ CUtensorMap map_a,
                  const __grid_constant__ CUtensorMap map_b, int m, int n, int k) {
  extern __shared__ __align__(1024) unsigned char memory[];
  Shared& shared = *reinterpret_cast<Shared*>(memory);
  const int tiles_across = (n + BN - 1) / BN;
  const int row0 = blockIdx.x / tiles_across * BM;  // the block's first row and column in c
  const int col0 = blockIdx.x % tiles_across * BN;
  const int thread = threadIdx.x, warp = thread / 32;
  if (thread == 0) {
    for (int stage = 0; stage < kStages; ++stage) {
      mbarrier_init(&shared.full[stage], 1);   // the producer arrives, and its bytes
      mbarrier_init(&shared.empty[stage], 1);  // one consumer arrives, for all
    }
    fence_mbarrier_init();
  }
  __syncthreads();

  Place place;
  if (thread >= kConsumers) {
    if (thread > kConsumers) return;  // one thread copies
    // TODO(2): the producer. For each step, wait until the stage is empty: in the first round it is,
    //          and waiting for the parity before the present one ends at once. Then announce the bytes,
    //          start both copies, and go on to the next place (7 lines).
    // BEGIN SOLUTION
    for (int k0 = 0; k0 < k; k0 += BK) {
      mbarrier_wait(&shared.empty[place.stage], place.parity ^ 1);
      mbarrier_arrive_expect_tx(&shared.full[place.stage], sizeof shared.a[0] + sizeof shared.b[0]);
      tma_load_2d(shared.a[place.stage], map_a, k0, row0, &shared.full[place.stage]);
      tma_load_2d(shared.b[place.stage], map_b, k0, col0, &shared.full[place.stage]);
      place.advance();
    }
    // END SOLUTION
    return;
  }

  float sum[kDown][BN / 2];  // of 64 rows each, a warp's 16 of them; the first products overwrite them
  const auto multiply = [&](int stage, bool accumulate) {
#pragma unroll
    for (int l = 0; l < BK / 16; ++l)
#pragma unroll
      for (int i = 0; i < kDown; ++i)
        wgmma_m64n128k16(sum[i], wgmma_descriptor(shared.a[stage] + i * 64 * BK) + 2 * l,
                         wgmma_descriptor(shared.b[stage]) + 2 * l, accumulate || l > 0);
  };
  // TODO(3): the consumers. For each step, wait until the stage is full, multiply (a fence before, a
  //          group behind), and leave this group under way: wait for the one before it, whose stage one
  //          thread then reports empty. Go on to the next place. In the end wait for the last group (14
  //          lines).
  // BEGIN SOLUTION
  int before = 0;  // the stage of the step before
  for (int k0 = 0; k0 < k; k0 += BK) {
    mbarrier_wait(&shared.full[place.stage], place.parity);
    wgmma_fence();
    multiply(place.stage, k0 > 0);
    wgmma_commit_group();
    if (k0 > 0) {
      wgmma_wait_group<1>();
      if (thread == 0) mbarrier_arrive(&shared.empty[before]);
    }
    before = place.stage;
    place.advance();
  }
  wgmma_wait_group<0>();
  // END SOLUTION
#pragma unroll
  for (int i = 0; i < kDown; ++i) store_sums(c, sum[i], row0 + i * 64 + warp * 16, col0, m, n);
}

cudaError_t hopper_matmul(__nv_bfloat16* c, const __nv_bfloat16* a, const __nv_bfloat16* b, int m, int n,
                          int k) {
  if (m == 0 || n == 0) return cudaSuccess;
  if (k == 0) return cudaMemsetAsync(c, 0, sizeof(__nv_bfloat16) * m * n);  // no tensor map has 0 columns
  CUtensorMap map_a, map_b;
  cudaError_t error = make_tensor_map(&map_a, a, m, k, BM);
  if (error == cudaSuccess) error = make_tensor_map(&map_b, b, n, k, BN);
  // More than 48 KB of shared memory a block are given only to kernels that have asked.
  if (error == cudaSuccess)
    error = cudaFuncSetAttribute(matmul_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Shared));
  if (error != cudaSuccess) return error;
  const int tiles = (m + BM - 1) / BM * ((n + BN - 1) / BN);
  matmul_kernel<<<tiles, kThreads, sizeof(Shared)>>>(c, map_a, map_b, m, n, k);
  return cudaGetLastError();
}
