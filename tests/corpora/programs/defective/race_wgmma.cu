// arch: 90a
// Products of warpgroups whose registers are used too early.
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
