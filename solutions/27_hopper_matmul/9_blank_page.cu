// Blank page: the gradient of a layer's weights, whose factors are both stored transposed.
#include "blank_page.h"
#include "common/tensor_map.h"
#include "common/tma.h"
#include "common/wgmma.h"
#include "epilogue.h"

// TODO(1): weight_gradient(), whose contract is in blank_page.h: kernel, launch and all else. A box of
//          the TMA is still 64 columns wide. What does a product take from it now, 16 columns or 16
//          rows?
// BEGIN SOLUTION
constexpr int BM = 128, BN = 128;  // of dw, that a block covers
constexpr int BK = 64;             // tokens of a step
constexpr int kBox = 64;           // columns of a box
constexpr int kConsumers = 128;    // threads: a warpgroup
constexpr int kThreads = 128 + 32;
constexpr int kStages = 4;

/// The ring: boxes of BK tokens, which lie behind each other where columns lie beside each other.
struct Shared {
  __nv_bfloat16 dy[kStages][BM / kBox][BK * kBox], x[kStages][BN / kBox][BK * kBox];
  std::uint64_t full[kStages], empty[kStages];
};

struct Place {
  int stage = 0, parity = 0;
  __device__ void advance() {
    if (++stage == kStages) stage = 0, parity ^= 1;
  }
};

__global__ void __launch_bounds__(kThreads)
    gradient_kernel(__nv_bfloat16* dw, const __grid_constant__ CUtensorMap map_dy,
                    const __grid_constant__ CUtensorMap map_x, int tokens, int outs, int ins) {
  extern __shared__ __align__(1024) unsigned char memory[];
  Shared& shared = *reinterpret_cast<Shared*>(memory);
  const int tiles_across = (ins + BN - 1) / BN;
  const int row0 = blockIdx.x / tiles_across * BM;  // the block's first row and column in dw
  const int col0 = blockIdx.x % tiles_across * BN;
  const int thread = threadIdx.x;
  if (thread == 0) {
    for (int stage = 0; stage < kStages; ++stage) {
      mbarrier_init(&shared.full[stage], 1);
      mbarrier_init(&shared.empty[stage], 1);
    }
    fence_mbarrier_init();
  }
  __syncthreads();

  Place place;
  if (thread >= kConsumers) {
    if (thread > kConsumers) return;
    for (int token = 0; token < tokens; token += BK) {
      std::uint64_t* const full = &shared.full[place.stage];
      mbarrier_wait(&shared.empty[place.stage], place.parity ^ 1);
      mbarrier_arrive_expect_tx(full, sizeof shared.dy[0] + sizeof shared.x[0]);
      for (int i = 0; i < BM / kBox; ++i)
        tma_load_2d(shared.dy[place.stage][i], map_dy, row0 + i * kBox, token, full);
      for (int i = 0; i < BN / kBox; ++i)
        tma_load_2d(shared.x[place.stage][i], map_x, col0 + i * kBox, token, full);
      place.advance();
    }
    return;
  }

  float sum[BM / 64][BN / 2];
  const auto multiply = [&](int stage, bool accumulate) {
    constexpr int kSixteen = 16 * kBox * sizeof(__nv_bfloat16) / 16;  // tokens, in a descriptor's units
#pragma unroll
    for (int l = 0; l < BK / 16; ++l)
#pragma unroll
      for (int i = 0; i < BM / 64; ++i)
        wgmma_m64n128k16<true>(sum[i], wgmma_descriptor(shared.dy[stage][i]) + l * kSixteen,
                               wgmma_descriptor(shared.x[stage], sizeof shared.x[0][0]) + l * kSixteen,
                               accumulate || l > 0);
  };
  int before = 0;  // the stage of the step before
  for (int token = 0; token < tokens; token += BK) {
    mbarrier_wait(&shared.full[place.stage], place.parity);
    wgmma_fence();
    multiply(place.stage, token > 0);
    wgmma_commit_group();
    if (token > 0) {
      wgmma_wait_group<1>();
      if (thread == 0) mbarrier_arrive(&shared.empty[before]);
    }
    before = place.stage;
    place.advance();
  }
  wgmma_wait_group<0>();
#pragma unroll
  for (int i = 0; i < BM / 64; ++i) store_sums(dw, sum[i], row0 + i * 64 + thread / 32 * 16, col0, outs, ins);
}

cudaError_t weight_gradient(__nv_bfloat16* dw, const __nv_bfloat16* dy, const __nv_bfloat16* x, int tokens,
                            int outs, int ins) {
  if (outs == 0 || ins == 0) return cudaSuccess;
  if (tokens == 0) return cudaMemsetAsync(dw, 0, sizeof(__nv_bfloat16) * outs * ins);
  CUtensorMap map_dy, map_x;
  cudaError_t error = make_tensor_map(&map_dy, dy, tokens, outs, BK);
  if (error == cudaSuccess) error = make_tensor_map(&map_x, x, tokens, ins, BK);
  if (error == cudaSuccess)
    error =
        cudaFuncSetAttribute(gradient_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Shared));
  if (error != cudaSuccess) return error;
  const int tiles = (outs + BM - 1) / BM * ((ins + BN - 1) / BN);
  gradient_kernel<<<tiles, kThreads, sizeof(Shared)>>>(dw, map_dy, map_x, tokens, outs, ins);
  return cudaGetLastError();
}
// END SOLUTION
