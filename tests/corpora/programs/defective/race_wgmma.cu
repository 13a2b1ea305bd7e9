// arch: 90a
// Products of warpgroups whose registers or factors are used too early.
#include "../case.h"
#include "../warpgroup.h"

// expect: race
// wrong: the sums are stored before the wait for their group.
// cure:  wgmma_wait<0>() in front of the stores.
__global__ void no_wait(float* out, int steps) {
  __shared__ alignas(128) __half a[kRowsA * kDepth], b[kRowsB * kDepth];
  fill(a, kRowsA, 1);
  fill(b, kRowsB, 2);
  fence_proxy();
  __syncthreads();
  float d[4] = {};
  wgmma_fence();
  for (int k = 0; k < steps; ++k) wgmma(d, a, b);
  wgmma_commit();
  for (int i = 0; i < 4; ++i) out[threadIdx.x * 4 + i] = d[i];  // <- race
  wgmma_wait<0>();
}
CASE(sums_stored_before_the_wait) {
  Buffer<float> out(512);
  no_wait<<<1, 128>>>(out, 3);
  finish();
}

// expect: race
// wrong: behind the loop one group is still under way.
// cure:  wgmma_wait<0>() behind the loop.
__global__ void one_left(float* out, int steps) {
  __shared__ alignas(128) __half a[kRowsA * kDepth], b[kRowsB * kDepth];
  fill(a, kRowsA, 1);
  fill(b, kRowsB, 2);
  fence_proxy();
  __syncthreads();
  float d[4] = {};
  for (int k = 0; k < steps; ++k) {
    wgmma_fence();
    wgmma(d, a, b);
    wgmma_commit();
    wgmma_wait<1>();
  }
  for (int i = 0; i < 4; ++i) out[threadIdx.x * 4 + i] = d[i];  // <- race
}
CASE(last_group_not_waited_for) {
  Buffer<float> out(512);
  one_left<<<1, 128>>>(out, 3);
  finish();
}

// expect: race
// wrong: the group is not closed, so the wait has nothing to wait for.
// cure:  wgmma_commit() in front of the wait.
__global__ void no_commit(float* out) {
  __shared__ alignas(128) __half a[kRowsA * kDepth], b[kRowsB * kDepth];
  fill(a, kRowsA, 1);
  fill(b, kRowsB, 2);
  fence_proxy();
  __syncthreads();
  float d[4] = {};
  wgmma_fence();
  wgmma(d, a, b);
  wgmma_wait<0>();
  for (int i = 0; i < 4; ++i) out[threadIdx.x * 4 + i] = d[i];  // <- race
}
CASE(group_never_committed) {
  Buffer<float> out(512);
  no_commit<<<1, 128>>>(out);
  finish();
}

// expect: race
// wrong: the sums are scaled between two products, and no wgmma.fence says so to the second.
// cure:  wgmma_fence() behind the scaling.
__global__ void scaled(float* out, float factor, int steps) {
  __shared__ alignas(128) __half a[kRowsA * kDepth], b[kRowsB * kDepth];
  fill(a, kRowsA, 1);
  fill(b, kRowsB, 2);
  fence_proxy();
  __syncthreads();
  float d[4] = {};
  wgmma_fence();
  for (int k = 0; k < steps; ++k) {
    wgmma(d, a, b);
    wgmma_commit();
    wgmma_wait<0>();
    for (float& x : d) x *= factor;  // <- race
  }
  for (int i = 0; i < 4; ++i) out[threadIdx.x * 4 + i] = d[i];
}
CASE(sums_scaled_without_a_fence) {
  Buffer<float> out(512);
  scaled<<<1, 128>>>(out, 0.5f, 3);
  finish();
}

// expect: race
// wrong: no wgmma.fence stands between the fragment and the product that takes it.
// cure:  wgmma_fence() in front of the product.
__global__ void no_fence(float* out, const float* in) {
  __shared__ alignas(128) __half b[kRowsB * kDepth];
  fill(b, kRowsB, 2);
  fence_proxy();
  __syncthreads();
  float d[4] = {};
  std::uint32_t fragment[4];
  for (std::uint32_t& x : fragment) {
    const __half2 both = __float2half2_rn(in[threadIdx.x]);  // <- race
    x = reinterpret_cast<const std::uint32_t&>(both);
  }
  wgmma(d, fragment, b);  // <- race
  wgmma_commit();
  wgmma_wait<0>();
  for (int i = 0; i < 4; ++i) out[threadIdx.x * 4 + i] = d[i];
}
CASE(fragment_without_a_fence) {
  Buffer<float> out(512), in(128, 1);
  no_fence<<<1, 128>>>(out, in);
  finish();
}

// expect: race
// wrong: the next fragment of A is computed into the registers that the product under way still reads.
// cure:  wgmma_wait<0>() before the fragment is overwritten, or a second set of registers.
__global__ void fragment_reused(float* out, const float* in, int steps) {
  __shared__ alignas(128) __half b[kRowsB * kDepth];
  fill(b, kRowsB, 2);
  fence_proxy();
  __syncthreads();
  float d[4] = {};
#pragma unroll 1
  for (int k = 0; k < steps; ++k) {
    std::uint32_t fragment[4];
    for (std::uint32_t& x : fragment) {
      const __half2 both = __float2half2_rn(in[k]);  // <- race
      x = reinterpret_cast<const std::uint32_t&>(both);
    }
    wgmma_fence();
    wgmma(d, fragment, b);
    wgmma_commit();
    wgmma_wait<1>();
  }
  wgmma_wait<0>();
  for (int i = 0; i < 4; ++i) out[threadIdx.x * 4 + i] = d[i];
}
CASE(fragment_overwritten_beside_the_product) {
  Buffer<float> out(512), in(4, 1);
  fragment_reused<<<1, 128>>>(out, in, 4);
  finish();
}

// expect: race shared
// wrong: the tiles are stored by ordinary stores, and the product reads them through the asynchronous proxy.
// cure:  fence_proxy() behind the stores, before the barrier.
__global__ void no_proxy_fence(float* out) {
  __shared__ alignas(128) __half a[kRowsA * kDepth], b[kRowsB * kDepth];
  fill(a, kRowsA, 1);  // <- race
  fill(b, kRowsB, 2);  // <- race
  __syncthreads();
  float d[4] = {};
  wgmma_fence();
  wgmma(d, a, b);  // <- race
  wgmma_commit();
  wgmma_wait<0>();
  for (int i = 0; i < 4; ++i) out[threadIdx.x * 4 + i] = d[i];
}
CASE(tiles_stored_without_a_proxy_fence) {
  Buffer<float> out(512);
  no_proxy_fence<<<1, 128>>>(out);
  finish();
}

// expect: race shared
// wrong: the fence between the proxies stands in front of the stores.
// cure:  fence_proxy() behind them.
__global__ void fence_too_early(float* out, const float* in, int steps) {
  __shared__ alignas(128) __half a[kRowsA * kDepth], b[kRowsB * kDepth];
  fill(a, kRowsA, 1);
  float d[4] = {};
  for (int k = 0; k < steps; ++k) {
    fence_proxy();
    fill(b, kRowsB, in[k]);  // <- race
    __syncthreads();
    wgmma_fence();
    wgmma(d, a, b);  // <- race
    wgmma_commit();
    wgmma_wait<0>();
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i) out[threadIdx.x * 4 + i] = d[i];
}
CASE(proxy_fence_before_the_stores) {
  Buffer<float> out(512), in(4, 1);
  fence_too_early<<<1, 128>>>(out, in, 4);
  finish();
}

// expect: race shared
// wrong: the next tile is stored while the product still reads the one before.
// cure:  wgmma_wait<0>() before the barrier, or a second tile.
__global__ void refilled_too_early(float* out, const float* in, int steps) {
  __shared__ alignas(128) __half a[kRowsA * kDepth], b[kRowsB * kDepth];
  fill(a, kRowsA, 1);
  fill(b, kRowsB, 2);
  float d[4] = {};
  for (int k = 0; k < steps; ++k) {
    fence_proxy();
    __syncthreads();
    wgmma_fence();
    wgmma(d, a, b);  // <- race
    wgmma_commit();
    __syncthreads();
    b[threadIdx.x] = __float2half(in[k]);  // <- race
    wgmma_wait<0>();
  }
  for (int i = 0; i < 4; ++i) out[threadIdx.x * 4 + i] = d[i];
}
CASE(tile_stored_beside_the_product) {
  Buffer<float> out(512), in(4, 1);
  refilled_too_early<<<1, 128>>>(out, in, 4);
  finish();
}

// expect: race shared
// wrong: the consumers free the stage before they have waited for the product that reads it.
// cure:  wgmma_wait<0>() before the arrival at empty.
__global__ void freed_too_early(float* out, const __half* in, int steps) {
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
      const int stage = k % 2;
      mbarrier_wait(&empty[stage], (k / 2 + 1) % 2);
      mbarrier_expect(&full[stage], sizeof b[0]);
      bulk_load(b[stage], in + k * kRowsB * kDepth, sizeof b[0], &full[stage]);  // <- race
    }
    return;
  }
  float d[4] = {};
  for (int k = 0; k < steps; ++k) {
    const int stage = k % 2;
    mbarrier_wait(&full[stage], k / 2 % 2);
    wgmma_fence();
    wgmma(d, a, b[stage]);  // <- race
    wgmma_commit();
    if (threadIdx.x == 0) mbarrier_arrive(&empty[stage]);
    wgmma_wait<1>();
  }
  wgmma_wait<0>();
  for (int i = 0; i < 4; ++i) out[threadIdx.x * 4 + i] = d[i];
}
CASE(stage_freed_before_the_wait) {
  Buffer<float> out(512);
  Buffer<__half> in(6 * kRowsB * kDepth, __half(1.0f), __half(0.0f));
  freed_too_early<<<1, 160>>>(out, in, 6);
  finish();
}

// expect: race shared
// wrong: the product reads a tile that the bulk copy is still bringing: a barrier of the block does not wait
// for it. cure:  mbarrier_wait() before the product.
__global__ void copied_tile(float* out, const __half* in) {
  __shared__ alignas(128) __half a[kRowsA * kDepth], b[kRowsB * kDepth];
  __shared__ std::uint64_t full;
  fill(a, kRowsA, 1);
  fence_proxy();
  if (threadIdx.x == 0) mbarrier_init(&full, 1), fence_mbarrier_init();
  __syncthreads();
  if (threadIdx.x == 0) {
    mbarrier_expect(&full, sizeof b);
    bulk_load(b, in, sizeof b, &full);  // <- race
  }
  __syncthreads();
  float d[4] = {};
  wgmma_fence();
  wgmma(d, a, b);  // <- race
  wgmma_commit();
  wgmma_wait<0>();
  mbarrier_wait(&full, 0);
  for (int i = 0; i < 4; ++i) out[threadIdx.x * 4 + i] = d[i];
}
CASE(product_of_a_tile_on_its_way) {
  Buffer<float> out(512);
  Buffer<__half> in(kRowsB * kDepth, __half(1.0f), __half(0.0f));
  copied_tile<<<1, 128>>>(out, in);
  finish();
}
