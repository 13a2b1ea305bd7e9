// Rung 5: two warpgroups multiply, and a tile of 128 x 256 needs fewer bytes for a product. Its sums
// are 128 registers a thread: the producer gives of its own.
#include "common/tensor_map.h"
#include "common/tma.h"
#include "common/wgmma.h"
#include "epilogue.h"
#include "hopper_matmul.h"

constexpr int BM = 128, BN = 256;              // of c, that a block covers
constexpr int BK = 64;                         // and takes k in steps of 64: rows of 128 bytes
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

__global__ void __launch_bounds__(kThreads, 1)
    matmul_kernel(__nv_bfloat16* c, const __grid_constant__ CUtensorMap map_a,
                  const __grid_constant__ CUtensorMap map_b, int m, int n, int k) {
  extern __shared__ __align__(1024) unsigned char memory[];
  Shared& shared = *reinterpret_cast<Shared*>(memory);
  const int tiles_across = (n + BN - 1) / BN;
  const int row0 = blockIdx.x / tiles_across * BM;  // the block's first row and column in c
  const int col0 = blockIdx.x % tiles_across * BN;
  const int group = threadIdx.x / 128 - 1, thread = threadIdx.x % 128;  // group -1 is the producer
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < kStages; ++stage) {
      // TODO(1): for how many arrivals? Of each group that multiplies one thread reports a stage empty
      //          (2 lines).
      // BEGIN SOLUTION
      mbarrier_init(&shared.full[stage], 1);
      mbarrier_init(&shared.empty[stage], kGroups);
      // END SOLUTION
    }
    fence_mbarrier_init();
  }
  __syncthreads();

  Place place;
  if (group < 0) {
    // TODO(2): a multiprocessor has 65536 registers, and each of 384 threads starts with 168. Let the
    //          producer's go down to 40: all four warps do so. Then one thread copies, as in rung 4 (10
    //          lines).
    // BEGIN SOLUTION
    registers_decrease<40>();
    if (thread != 0) return;
    for (int k0 = 0; k0 < k; k0 += BK) {
      mbarrier_wait(&shared.empty[place.stage], place.parity ^ 1);
      mbarrier_arrive_expect_tx(&shared.full[place.stage], sizeof shared.a[0] + sizeof shared.b[0]);
      tma_load_2d(shared.a[place.stage], map_a, k0, row0, &shared.full[place.stage]);
      tma_load_2d(shared.b[place.stage], map_b, k0, col0, &shared.full[place.stage]);
      place.advance();
    }
    return;
    // END SOLUTION
  }

  // TODO(3): how many registers can each thread of the two other warpgroups have now, of 65536? It must
  //          be a multiple of 8. Then the products, by wgmma_m64n256k16(): a group has 64 rows of a,
  //          and all of b (22 lines).
  // BEGIN SOLUTION
  registers_increase<232>();
  float sum[BN / 2];  // the first products overwrite them
  int before = 0;     // the stage of the step before
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
      if (thread == 0) mbarrier_arrive(&shared.empty[before]);
    }
    before = place.stage;
    place.advance();
  }
  wgmma_wait_group<0>();
  store_sums(c, sum, row0 + group * 64 + thread / 32 * 16, col0, m, n);
  // END SOLUTION
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
