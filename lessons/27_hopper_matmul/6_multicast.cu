// Rung 6: two blocks below each other need the same rows of b. Each brings half of them, to both.
#include "common/tensor_map.h"
#include "common/tma.h"
#include "common/wgmma.h"
#include "epilogue.h"
#include "hopper_matmul.h"

constexpr int BM = 128, BN = 256;              // of c, that a block covers
constexpr int BK = 64;                         // and takes k in steps of 64: rows of 128 bytes
constexpr int kCluster = 2;                    // blocks below each other
constexpr int kShare = BN / kCluster;          // rows of b's tile that a block brings, to all
constexpr int kGroups = BM / 64;               // warpgroups that multiply, each 64 x 256
constexpr int kThreads = (1 + kGroups) * 128;  // and one that copies: registers are shifted by warpgroups
constexpr int kStages = 4;                     // steps whose tiles are in shared memory, or on the way there

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
    if (++stage == kStages) stage = 0, parity ^= 1;
  }
};

__global__ void __cluster_dims__(kCluster, 1, 1) __launch_bounds__(kThreads, 1)
    matmul_kernel(__nv_bfloat16* c, const __grid_constant__ CUtensorMap map_a,
                  const __grid_constant__ CUtensorMap map_b, int m, int n, int k) {
  extern __shared__ __align__(1024) unsigned char memory[];
  Shared& shared = *reinterpret_cast<Shared*>(memory);
  const int tiles_across = (n + BN - 1) / BN;
  const int rank = cluster_rank(), cluster = blockIdx.x / kCluster;
  int row0 = 0, col0 = 0;  // the block's first row and column in c
  // TODO(1): where these are. Clusters cover kCluster * BM rows, and their blocks stand below each
  //          other (2 lines).
  const int group = threadIdx.x / 128 - 1, thread = threadIdx.x % 128;  // group -1 is the producer
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < kStages; ++stage) {
      // TODO(2): for how many arrivals? What a block copies goes to both blocks, so a stage is empty
      //          when the groups of both have read it (2 lines).
    }
    fence_mbarrier_init();
  }
  cluster_sync();  // nobody copies to a block, or arrives there, before it is ready

  Place place;
  if (group < 0) {
    registers_decrease<40>();
    // TODO(3): one thread copies. Announce what this block gets, from whoever it comes: all of a and of
    //          b. Copy its rows of a, and its share of b's rows to both blocks, to the same place in
    //          each: share `rank`, of kShare rows, by tma_load_2d_multicast() (12 lines).
  } else {
    registers_increase<232>();
    float sum[BN / 2];  // the first products overwrite them
    // Tells all blocks of the cluster, each by a thread of its own, that this group has read a stage.
    const auto release = [&](int stage) {
      // TODO(4): by mbarrier_arrive_at() (1 line).
    };
    int before = 0;  // the stage of the step before
    for (int k0 = 0; k0 < k; k0 += BK) {
      mbarrier_wait(&shared.full[place.stage], place.parity);
      const std::uint64_t a_rows = wgmma_descriptor(shared.a[place.stage] + group * 64 * BK);
      const std::uint64_t b_rows = wgmma_descriptor(shared.b[place.stage]);
      wgmma_fence();
#pragma unroll
      for (int l = 0; l < BK / 16; ++l) wgmma_m64n256k16(sum, a_rows + 2 * l, b_rows + 2 * l, k0 + l > 0);
      wgmma_commit_group();
      if (k0 > 0) {
        wgmma_wait_group<1>();  // the products of the step before are done
        release(before);
      }
      before = place.stage;
      place.advance();
    }
    wgmma_wait_group<0>();
    store_sums(c, sum, row0 + group * 64 + thread / 32 * 16, col0, m, n);
  }
  // TODO(5): a block that has left has no shared memory. What may still reach it there, from the other
  //          block (1 line)?
}

cudaError_t hopper_matmul(__nv_bfloat16* c, const __nv_bfloat16* a, const __nv_bfloat16* b, int m, int n,
                          int k) {
  if (m == 0 || n == 0) return cudaSuccess;
  if (k == 0) return cudaMemsetAsync(c, 0, sizeof(__nv_bfloat16) * m * n);  // no tensor map has 0 columns
  CUtensorMap map_a, map_b;
  cudaError_t error = make_tensor_map(&map_a, a, m, k, BM);
  if (error == cudaSuccess) error = make_tensor_map(&map_b, b, n, k, kShare);
  // More than 48 KB of shared memory a block are given only to kernels that have asked.
  if (error == cudaSuccess)
    error = cudaFuncSetAttribute(matmul_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Shared));
  if (error != cudaSuccess) return error;
  const int clusters = (m + kCluster * BM - 1) / (kCluster * BM) * ((n + BN - 1) / BN);
  matmul_kernel<<<clusters * kCluster, kThreads, sizeof(Shared)>>>(c, map_a, map_b, m, n, k);
  return cudaGetLastError();
}
