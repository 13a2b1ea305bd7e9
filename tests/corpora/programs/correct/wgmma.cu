// arch: 90a
// Correct: products of warpgroups, which run beside the program until their group has been waited for.
#include "../case.h"
#include "../warpgroup.h"

__global__ void two_products(float* out, int steps) {
  __shared__ alignas(128) __half a[kRowsA * kDepth], b[kRowsB * kDepth];
  fill(a, kRowsA, 1);
  fill(b, kRowsB, 2);
  fence_proxy();
  __syncthreads();
  float d[4] = {};
  wgmma_fence();
  for (int k = 0; k < steps; ++k) wgmma(d, a, b);
  wgmma_commit();
  wgmma_wait<0>();
  for (int i = 0; i < 4; ++i) out[threadIdx.x * 4 + i] = d[i];
}
CASE(products_one_behind_the_other) {
  Buffer<float> out(512);
  two_products<<<1, 128>>>(out, 3);
  finish();
  for (const float x : out.host()) CHECK_THAT(x == 3 * 32);
}

// One group stays under way while the sums of the one before are used.
__global__ void two_groups(float* out, int steps) {
  __shared__ alignas(128) __half a[kRowsA * kDepth], b[kRowsB * kDepth];
  fill(a, kRowsA, 1);
  fill(b, kRowsB, 2);
  fence_proxy();
  __syncthreads();
  float total = 0;
  float even[4] = {}, odd[4] = {};
  wgmma_fence();
  wgmma(even, a, b);
  wgmma_commit();
  for (int k = 0; k < steps; ++k) {
    wgmma_fence();
    wgmma(odd, a, b);
    wgmma_commit();
    wgmma_wait<1>();
    for (float& x : even) total += x, x = 0;
    wgmma_fence();
    wgmma(even, a, b);
    wgmma_commit();
    wgmma_wait<1>();
    for (float& x : odd) total += x, x = 0;
  }
  wgmma_wait<0>();
  for (int i = 0; i < 4; ++i) out[threadIdx.x * 4 + i] = total + even[i];
}
CASE(sums_of_one_group_beside_the_next) {
  Buffer<float> out(512);
  two_groups<<<1, 128>>>(out, 3);
  finish();
  for (const float x : out.host()) CHECK_THAT(x == 24 * 32 + 32);
}

// The sums of one product, rounded, are the fragment of A of the next, as in attention.
__global__ void chained(float* out, int steps) {
  __shared__ alignas(128) __half a[kRowsA * kDepth], b[kRowsB * kDepth];
  fill(a, kRowsA, 1);
  fill(b, kRowsB, 0.25f);
  fence_proxy();
  __syncthreads();
  float sum[4] = {};
  for (int k = 0; k < steps; ++k) {
    float low[4] = {}, high[4] = {};
    wgmma_fence();
    wgmma(low, a, b);
    wgmma(high, a, b);
    wgmma_commit();
    wgmma_wait<0>();
    std::uint32_t fragment[4];
    const auto pack = [](float x, float y) {
      const __half2 both = __floats2half2_rn(x, y);
      return reinterpret_cast<const std::uint32_t&>(both);
    };
    fragment[0] = pack(low[0], low[1]), fragment[1] = pack(low[2], low[3]);
    fragment[2] = pack(high[0], high[1]), fragment[3] = pack(high[2], high[3]);
    wgmma_fence();
    wgmma(sum, fragment, b);
    wgmma_commit();
    wgmma_wait<0>();
  }
  for (int i = 0; i < 4; ++i) out[threadIdx.x * 4 + i] = sum[i];
}
CASE(sums_as_the_next_fragment) {
  Buffer<float> out(512);
  chained<<<1, 128>>>(out, 2);
  finish();
  for (const float x : out.host()) CHECK_THAT(x == 2 * 16);
}

// The last group is waited for in the branch that uses it.
__global__ void last_in_a_branch(float* out, int steps) {
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
    if (k > 0) wgmma_wait<1>();
    if (k == steps - 1) {
      wgmma_wait<0>();
      for (int i = 0; i < 4; ++i) out[threadIdx.x * 4 + i] = d[i];
    }
  }
}
CASE(last_group_waited_for_in_a_branch) {
  Buffer<float> out(512);
  last_in_a_branch<<<1, 128>>>(out, 5);
  finish();
  for (const float x : out.host()) CHECK_THAT(x == 5 * 32);
}

// A ring of two stages: one thread copies, one warpgroup multiplies and frees a stage once the product that
// read it is over. One product stays under way.
__global__ void ring(float* out, const __half* in, int steps) {
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
      bulk_load(b[stage], in + k * kRowsB * kDepth, sizeof b[0], &full[stage]);
    }
    return;
  }
  float d[4] = {};
  for (int k = 0; k < steps; ++k) {
    mbarrier_wait(&full[k % 2], k / 2 % 2);
    wgmma_fence();
    wgmma(d, a, b[k % 2]);
    wgmma_commit();
    if (k == 0) continue;
    wgmma_wait<1>();
    if (threadIdx.x == 0) mbarrier_arrive(&empty[(k - 1) % 2]);
  }
  wgmma_wait<0>();
  for (int i = 0; i < 4; ++i) out[threadIdx.x * 4 + i] = d[i];
}
CASE(ring_with_a_product_under_way) {
  Buffer<float> out(512);
  Buffer<__half> in(6 * kRowsB * kDepth, __half(1.0f), __half(0.0f));
  ring<<<1, 160>>>(out, in, 6);
  finish();
  for (const float x : out.host()) CHECK_THAT(x == 6 * 16);
}

// Tiles that the warpgroup stores itself, fenced behind the barrier by those who multiply, and stored again
// behind a wait and a barrier.
__global__ void stored_by_itself(float* out, const float* in, int steps) {
  __shared__ alignas(128) __half a[kRowsA * kDepth], b[kRowsB * kDepth];
  fill(a, kRowsA, 1);
  float d[4] = {};
  for (int k = 0; k < steps; ++k) {
    fill(b, kRowsB, in[k]);
    __syncthreads();
    fence_proxy();
    wgmma_fence();
    wgmma(d, a, b);
    wgmma_commit();
    wgmma_wait<0>();
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i) out[threadIdx.x * 4 + i] = d[i];
}
CASE(tiles_stored_and_fenced_by_the_readers) {
  Buffer<float> out(512), in(4, 1);
  stored_by_itself<<<1, 128>>>(out, in, 4);
  finish();
  for (const float x : out.host()) CHECK_THAT(x == 4 * 16);
}

// Persistent, with roles: one thread of the first warpgroup copies, the two others multiply, and store their
// tiles by bulk copies that are under way while they go on.
__global__ void __launch_bounds__(384, 1)
    persistent(float* out, const __half* rows, const __half* columns, int tiles, int steps) {
  constexpr int kStages = 3, kA = kRowsA * kDepth, kB = kRowsB * kDepth, kOut = kRowsA * kRowsB;
  __shared__ alignas(128) __half a[kStages][2][kA], b[kStages][kB];
  __shared__ alignas(128) float staged[2][kOut];
  __shared__ std::uint64_t full[kStages], empty[kStages];
  if (threadIdx.x == 0) {
    for (int i = 0; i < kStages; ++i) mbarrier_init(&full[i], 1), mbarrier_init(&empty[i], 2);
    fence_mbarrier_init();
  }
  __syncthreads();
  const int group = threadIdx.x / 128, thread = threadIdx.x % 128;
  int turn = 0;
  if (group == 0) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (thread != 0) return;
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x)
      for (int k = 0; k < steps; ++k, ++turn) {
        const int stage = turn % kStages;
        mbarrier_wait(&empty[stage], (turn / kStages + 1) % 2);
        mbarrier_expect(&full[stage], sizeof a[0] + sizeof b[0]);
        bulk_load(a[stage], rows + (tile * steps + k) * 2 * kA, sizeof a[0], &full[stage]);
        bulk_load(b[stage], columns + k * kB, sizeof b[0], &full[stage]);
      }
    return;
  }
  asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
  const int mine = group - 1;
  for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    float d[4] = {};
    for (int k = 0; k < steps; ++k, ++turn) {
      mbarrier_wait(&full[turn % kStages], turn / kStages % 2);
      wgmma_fence();
      wgmma(d, a[turn % kStages][mine], b[turn % kStages]);
      wgmma_commit();
      if (k == 0) continue;
      wgmma_wait<1>();
      if (thread == 0) mbarrier_arrive(&empty[(turn - 1) % kStages]);
    }
    wgmma_wait<0>();
    if (thread == 0) mbarrier_arrive(&empty[(turn - 1) % kStages]), bulk_wait_read<0>();
    asm volatile("bar.sync %0, 128;" ::"r"(1 + mine) : "memory");
    for (int i = 0; i < 4; ++i) staged[mine][thread * 4 + i] = d[i];
    fence_proxy();
    asm volatile("bar.sync %0, 128;" ::"r"(1 + mine) : "memory");
    if (thread == 0)
      bulk_store(out + (tile * 2 + mine) * kOut, staged[mine], sizeof staged[0]), bulk_commit();
  }
  if (thread == 0) bulk_wait_read<0>();
}
CASE(persistent_with_roles) {
  constexpr int kTiles = 5, kSteps = 4;
  Buffer<float> out(kTiles * 2 * kRowsA * kRowsB);
  Buffer<__half> a(kTiles * kSteps * 2 * kRowsA * kDepth, __half(1.0f), __half(0.0f)),
      b(kSteps * kRowsB * kDepth, __half(2.0f), __half(0.0f));
  persistent<<<2, 384>>>(out, a, b, kTiles, kSteps);
  finish();
  for (const float x : out.host()) CHECK_THAT(x == kSteps * 32);
}
