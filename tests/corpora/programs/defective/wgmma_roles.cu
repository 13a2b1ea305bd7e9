// arch: 90a
// Products of several warpgroups, or of less than one, and what is stored of their sums.
#include "../case.h"
#include "../warpgroup.h"

// expect: mask|hang
// wrong: three of the warpgroup's four warps come to the product.
// cure:  threadIdx.x < 128.
__global__ void three_warps(float* out) {
  __shared__ alignas(128) __half a[kRowsA * kDepth], b[kRowsB * kDepth];
  fill(a, kRowsA, 1);
  fill(b, kRowsB, 2);
  fence_proxy();
  __syncthreads();
  if (threadIdx.x >= 96) return;
  float d[4] = {};
  wgmma_fence();
  wgmma(d, a, b);  // <- mask
  wgmma_commit();
  wgmma_wait<0>();
  for (int i = 0; i < 4; ++i) out[threadIdx.x * 4 + i] = d[i];
}
CASE(three_warps_multiply) {
  Buffer<float> out(512);
  three_warps<<<1, 128>>>(out);
  finish();
}

// expect: race shared
// wrong: the first warpgroup stores the next tile while the second may still multiply by it.
// cure:  a barrier of both behind their waits.
__global__ void other_group_reads(float* out, const float* in, int steps) {
  __shared__ alignas(128) __half a[kRowsA * kDepth], b[kRowsB * kDepth];
  fill(a, kRowsA, 1);
  float d[4] = {};
  for (int k = 0; k < steps; ++k) {
    if (threadIdx.x < 128) b[threadIdx.x] = __float2half(in[k]);  // <- race
    fence_proxy();
    __syncthreads();
    wgmma_fence();
    wgmma(d, a, b);  // <- race
    wgmma_commit();
    wgmma_wait<0>();
  }
  for (int i = 0; i < 4; ++i) out[threadIdx.x * 4 + i] = d[i];
}
CASE(tile_of_both_groups_stored_by_one) {
  Buffer<float> out(1024), in(4, 1);
  other_group_reads<<<1, 256>>>(out, in, 4);
  finish();
}

// expect: race shared
// wrong: a stage is freed when all but the last product are over, and the last one is its own.
// cure:  the arrival for the stage of the step before.
__global__ void frees_its_own(float* out, const __half* in, int steps) {
  __shared__ alignas(128) __half a[kRowsA * kDepth], b[2][kRowsB * kDepth];
  __shared__ std::uint64_t full[2], empty[2];
  fill(a, kRowsA, 1);
  fence_proxy();
  if (threadIdx.x == 0) {
    for (int i = 0; i < 2; ++i) mbarrier_init(&full[i], 1), mbarrier_init(&empty[i], 1);
    fence_mbarrier_init();
  }
  __syncthreads();
  if (threadIdx.x >= 128) {
    if (threadIdx.x > 128) return;
    for (int k = 0; k < steps; ++k) {
      mbarrier_wait(&empty[k % 2], (k / 2 + 1) % 2);
      mbarrier_expect(&full[k % 2], sizeof b[0]);
      bulk_load(b[k % 2], in + k * kRowsB * kDepth, sizeof b[0], &full[k % 2]);  // <- race
    }
    return;
  }
  float d[4] = {};
  for (int k = 0; k < steps; ++k) {
    mbarrier_wait(&full[k % 2], k / 2 % 2);
    wgmma_fence();
    wgmma(d, a, b[k % 2]);  // <- race
    wgmma_commit();
    wgmma_wait<1>();
    if (threadIdx.x == 0) mbarrier_arrive(&empty[k % 2]);
  }
  wgmma_wait<0>();
  for (int i = 0; i < 4; ++i) out[threadIdx.x * 4 + i] = d[i];
}
CASE(stage_of_the_product_under_way_is_freed) {
  Buffer<float> out(512);
  Buffer<__half> in(6 * kRowsB * kDepth, __half(1.0f), __half(0.0f));
  frees_its_own<<<1, 160>>>(out, in, 6);
  finish();
}

// expect: race shared
// wrong: thread 0 copies the sums out before the other warps are known to have staged theirs.
// cure:  a barrier of the warpgroup behind the fence.
__global__ void staged_without_a_barrier(float* out) {
  __shared__ alignas(128) __half a[kRowsA * kDepth], b[kRowsB * kDepth];
  __shared__ alignas(128) float staged[kRowsA * kRowsB];
  fill(a, kRowsA, 1);
  fill(b, kRowsB, 2);
  fence_proxy();
  __syncthreads();
  float d[4] = {};
  wgmma_fence();
  wgmma(d, a, b);
  wgmma_commit();
  wgmma_wait<0>();
  for (int i = 0; i < 4; ++i) staged[threadIdx.x * 4 + i] = d[i];  // <- race
  fence_proxy();
  if (threadIdx.x == 0) {
    bulk_store(out, staged, sizeof staged);  // <- race
    bulk_commit();
    bulk_wait_read<0>();
  }
}
CASE(sums_staged_without_a_barrier) {
  Buffer<float> out(kRowsA * kRowsB);
  staged_without_a_barrier<<<1, 128>>>(out);
  finish();
}

// expect: hang|barrier
// wrong: the groups take turns, and each waits for the other to begin.
// cure:  one of them signals before its first turn.
__global__ void turns_that_nobody_begins(float* out, int turns) {
  __shared__ alignas(128) __half a[kRowsA * kDepth], b[kRowsB * kDepth];
  fill(a, kRowsA, 1);
  fill(b, kRowsB, 2);
  fence_proxy();
  __syncthreads();
  const int group = threadIdx.x / 128;
  float d[4] = {};
  for (int k = 0; k < turns; ++k) {
    asm volatile("bar.sync %0, 256;" ::"r"(1 + group) : "memory");  // <- hang
    wgmma_fence();
    wgmma(d, a, b);
    wgmma_commit();
    wgmma_wait<0>();
    asm volatile("bar.arrive %0, 256;" ::"r"(2 - group) : "memory");
  }
  for (int i = 0; i < 4; ++i) out[threadIdx.x * 4 + i] = d[i];
}
CASE(turns_that_nobody_begins) {
  Buffer<float> out(1024);
  turns_that_nobody_begins<<<1, 256>>>(out, 3);
  finish();
}
