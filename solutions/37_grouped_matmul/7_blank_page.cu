// Blank page: the gradient of every expert's weights, where what is added up is ragged.
#include "blank_page.h"
#include "common/tensor_map.h"
#include "common/tma.h"
#include "common/wgmma.h"
#include "pack.h"

// TODO(1): expert_gradients(), whose contract is in blank_page.h: kernel, launch and all else. It is lesson
//          27's blank page with an end of its rows for each expert. What does a box hold behind that end?
// BEGIN SOLUTION
constexpr int BM = 128, BN = 128;  // of dw, that a block covers
constexpr int BK = 64;             // rows of a step
constexpr int kBox = 64;           // columns of a box
constexpr int kConsumers = 128;    // threads: a warpgroup
constexpr int kThreads = kConsumers + 32;
constexpr int kStages = 4;
constexpr int kVec = 8;  // bf16 in 16 bytes

/// The ring: boxes of BK rows, which lie behind each other where columns lie beside each other.
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

/// The consumers make rows `left` and below of a stage's dy zeros: they are the next expert's, or behind all
/// of them. Whatever x has there is finite, and counts no more.
__device__ void clear_rows(__nv_bfloat16 (&dy)[BM / kBox][BK * kBox], int left) {
  for (int i = 0; i < BM / kBox; ++i)
    for (int at = left * kBox + threadIdx.x * kVec; at < BK * kBox; at += kConsumers * kVec)
      *reinterpret_cast<uint4*>(&dy[i][at]) = make_uint4(0, 0, 0, 0);
  fence_proxy_async();                                // wgmma reads them by the asynchronous proxy
  asm volatile("barrier.sync 1, 128;" ::: "memory");  // and all of them: the consumers', without the producer
}

__device__ void store_sums(__nv_bfloat16* dw, const float (&sum)[BN / 2], int row, int col, int outs,
                           int ins) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int j = 0; j < BN / 8; ++j)
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int i = row + lane / 4 + half * 8, c = col + j * 8 + lane % 4 * 2;
      if (i < outs && c < ins)
        *reinterpret_cast<unsigned*>(dw + static_cast<std::int64_t>(i) * ins + c) =
            pack(sum[4 * j + 2 * half], sum[4 * j + 2 * half + 1]);
    }
}

__global__ void __launch_bounds__(kThreads)
    gradient_kernel(__nv_bfloat16* dw, const __grid_constant__ CUtensorMap map_dy,
                    const __grid_constant__ CUtensorMap map_x, const int* start, int outs, int ins) {
  extern __shared__ __align__(1024) unsigned char memory[];
  Shared& shared = *reinterpret_cast<Shared*>(memory);
  const int tiles_across = (ins + BN - 1) / BN, tile = blockIdx.x, expert = blockIdx.y;
  const int row0 = tile / tiles_across * BM, col0 = tile % tiles_across * BN;  // in dw
  const int first = start[expert], end = start[expert + 1];
  const int thread = threadIdx.x;
  if (thread == 0) {
    for (int stage = 0; stage < kStages; ++stage) {
      mbarrier_init(&shared.full[stage], 1);
      mbarrier_init(&shared.empty[stage], 1);
    }
    fence_mbarrier_init();
  }
  __syncthreads();  // nobody copies or waits before the mbarriers are there

  Place place;
  if (thread >= kConsumers) {
    if (thread > kConsumers) return;
    for (int row = first; row < end; row += BK) {
      std::uint64_t* const full = &shared.full[place.stage];
      mbarrier_wait(&shared.empty[place.stage], place.parity ^ 1);
      mbarrier_arrive_expect_tx(full, sizeof shared.dy[0] + sizeof shared.x[0]);
      for (int i = 0; i < BM / kBox; ++i)
        tma_load_2d(shared.dy[place.stage][i], map_dy, row0 + i * kBox, row, full);
      for (int i = 0; i < BN / kBox; ++i)
        tma_load_2d(shared.x[place.stage][i], map_x, col0 + i * kBox, row, full);
      place.advance();
    }
    return;
  }

  float sum[BM / 64][BN / 2] = {};  // what an expert without rows gets
  int before = 0;                   // the stage of the step before
  for (int row = first; row < end; row += BK) {
    constexpr int kSixteen = 16 * kBox * sizeof(__nv_bfloat16) / 16;  // rows, in a descriptor's units
    mbarrier_wait(&shared.full[place.stage], place.parity);
    if (end - row < BK) clear_rows(shared.dy[place.stage], end - row);
    wgmma_fence();
#pragma unroll
    for (int l = 0; l < BK / 16; ++l)
#pragma unroll
      for (int i = 0; i < BM / 64; ++i)
        wgmma_m64n128k16<true>(sum[i], wgmma_descriptor(shared.dy[place.stage][i]) + l * kSixteen,
                               wgmma_descriptor(shared.x[place.stage], sizeof shared.x[0][0]) + l * kSixteen,
                               1);
    wgmma_commit_group();
    if (row > first) {
      wgmma_wait_group<1>();
      if (thread == 0) mbarrier_arrive(&shared.empty[before]);
    }
    before = place.stage;
    place.advance();
  }
  wgmma_wait_group<0>();
  __nv_bfloat16* const own = dw + static_cast<std::int64_t>(expert) * outs * ins;
#pragma unroll
  for (int i = 0; i < BM / 64; ++i)
    store_sums(own, sum[i], row0 + i * 64 + thread / 32 * 16, col0, outs, ins);
}

cudaError_t expert_gradients(__nv_bfloat16* dw, const __nv_bfloat16* dy, const __nv_bfloat16* x,
                             const int* start, int experts, int rows, int outs, int ins) {
  if (outs == 0 || ins == 0) return cudaSuccess;
  if (rows == 0) return cudaMemsetAsync(dw, 0, sizeof(__nv_bfloat16) * experts * outs * ins);
  CUtensorMap map_dy, map_x;
  cudaError_t error = make_tensor_map(&map_dy, dy, rows, outs, BK);
  if (error == cudaSuccess) error = make_tensor_map(&map_x, x, rows, ins, BK);
  if (error == cudaSuccess)
    error =
        cudaFuncSetAttribute(gradient_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Shared));
  if (error != cudaSuccess) return error;
  const dim3 grid((outs + BM - 1) / BM * ((ins + BN - 1) / BN), experts);
  gradient_kernel<<<grid, kThreads, sizeof(Shared)>>>(dw, map_dy, map_x, start, outs, ins);
  return cudaGetLastError();
}
// END SOLUTION
