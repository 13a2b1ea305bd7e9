// arch: 90a
// Correct: two warpgroups that multiply by turns, and one that multiplies what another has prepared.
#include "../case.h"
#include "../warpgroup.h"

// Group 0 begins; each lets the other multiply while it stores its sums. The last turn's arrival is waited
// for, so that no barrier is left half full.
__global__ void __launch_bounds__(256, 1) by_turns(float* out, int turns) {
  __shared__ alignas(128) __half a[kRowsA * kDepth], b[kRowsB * kDepth];
  fill(a, kRowsA, 1);
  fill(b, kRowsB, 2);
  fence_proxy();
  __syncthreads();
  const int group = threadIdx.x / 128;
  if (group == 1) asm volatile("bar.arrive 1, 256;" ::: "memory");
  for (int k = 0; k < turns; ++k) {
    asm volatile("bar.sync %0, 256;" ::"r"(1 + group) : "memory");
    float d[4] = {};
    wgmma_fence();
    wgmma(d, a, b);
    wgmma_commit();
    wgmma_wait<0>();
    asm volatile("bar.arrive %0, 256;" ::"r"(2 - group) : "memory");
    for (int i = 0; i < 4; ++i) out[(k * 256 + threadIdx.x) * 4 + i] = d[i];
  }
  if (group == 0) asm volatile("bar.sync 1, 256;" ::: "memory");
}
CASE(groups_that_multiply_by_turns) {
  Buffer<float> out(3 * 1024);
  by_turns<<<1, 256>>>(out, 3);
  finish();
  for (const float x : out.host()) CHECK_THAT(x == 32);
}

// The tile of b is scaled by a group of its own, which stores it the ordinary way, fences, and arrives.
__global__ void __launch_bounds__(256, 1) prepared(float* out, const float* factors, int steps) {
  __shared__ alignas(128) __half a[kRowsA * kDepth], b[2][kRowsB * kDepth];
  __shared__ std::uint64_t full[2], empty[2];
  fill(a, kRowsA, 1);
  fence_proxy();
  if (threadIdx.x == 0) {
    for (int i = 0; i < 2; ++i) mbarrier_init(&full[i], 128), mbarrier_init(&empty[i], 1);
    fence_mbarrier_init();
  }
  __syncthreads();
  const int thread = threadIdx.x % 128;
  if (threadIdx.x >= 128) {
    for (int k = 0; k < steps; ++k) {
      mbarrier_wait(&empty[k % 2], (k / 2 + 1) % 2);
      b[k % 2][thread] = __float2half(factors[k]);
      fence_proxy();
      mbarrier_arrive(&full[k % 2]);
    }
    return;
  }
  float d[4] = {};
  for (int k = 0; k < steps; ++k) {
    mbarrier_wait(&full[k % 2], k / 2 % 2);
    wgmma_fence();
    wgmma(d, a, b[k % 2]);
    wgmma_commit();
    wgmma_wait<0>();
    if (thread == 0) mbarrier_arrive(&empty[k % 2]);
  }
  for (int i = 0; i < 4; ++i) out[thread * 4 + i] = d[i];
}
CASE(tiles_prepared_by_another_group) {
  Buffer<float> out(512), factors(5, 1);
  prepared<<<1, 256>>>(out, factors, 5);
  finish();
  for (const float x : out.host()) CHECK_THAT(x == 5 * 16);
}
