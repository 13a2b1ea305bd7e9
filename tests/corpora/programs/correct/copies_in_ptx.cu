// Correct: asynchronous copies in PTX and in C++, with their waits and barriers.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_pipeline.h>

#include <cuda/barrier>
#include <cuda/pipeline>

#include "../case.h"

#pragma nv_diag_suppress static_var_with_dynamic_init

namespace cg = cooperative_groups;

__device__ void copy16(void* to, const void* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(unsigned(__cvta_generic_to_shared(to))),
               "l"(from)
               : "memory");
}
__device__ void copy4(void* to, const void* from, int bytes) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(unsigned(__cvta_generic_to_shared(to))),
               "l"(from), "r"(bytes)
               : "memory");
}
__device__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int N>
__device__ void wait_group() {
  asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
}

// Four stages; the wait leaves two groups under way.
__global__ void four_stages(int* out, const int* in, int tiles) {
  __shared__ alignas(16) int s[4][128];
  const int t = threadIdx.x;
  for (int k = 0; k < 3; ++k) {
    if (k < tiles) copy16(&s[k][4 * t], in + k * 128 + 4 * t);
    commit();
  }
  int sum = 0;
  for (int k = 0; k < tiles; ++k) {
    wait_group<2>();
    __syncthreads();
    if (k + 3 < tiles) copy16(&s[(k + 3) % 4][4 * t], in + (k + 3) * 128 + 4 * t);
    commit();
    for (int j = 0; j < 4; ++j) sum += s[k % 4][127 - 4 * t - j];
  }
  out[t] = sum;
}
CASE(four_stages_in_ptx) {
  Buffer<int> out(32), in(9 * 128, 1);
  four_stages<<<1, 32>>>(out, in, 9);
  finish();
  CHECK_THAT(out.host()[0] == 36);
}

// Elements beyond the end are filled with zeros by the copy itself.
__global__ void zero_filled(int* out, const int* in, int n) {
  __shared__ int s[64];
  const int t = threadIdx.x, i = blockIdx.x * 64 + t;
  copy4(&s[t], i < n ? in + i : in, i < n ? 4 : 0);
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  out[i] = s[63 - t];
}
CASE(copy_that_fills_with_zeros) {
  Buffer<int> out(128), in(100, 1);
  zero_filled<<<2, 64>>>(out, in, 100);
  finish();
  CHECK_THAT(out.host()[64] == 0 && out.host()[127] == 1);
}

// One group of several copies; only the last wait counts.
__global__ void many_copies(int* out, const int* in) {
  __shared__ alignas(16) int a[128], b[128];
  const int t = threadIdx.x;
  copy16(&a[4 * t], in + 4 * t);
  copy16(&b[4 * t], in + 128 + 4 * t);
  commit();
  wait_group<0>();
  __syncwarp();
  out[t] = a[127 - t] + b[t];
}
CASE(one_warp_needs_a_warp_barrier) {
  Buffer<int> out(32), in(256, 0, 1);
  many_copies<<<1, 32>>>(out, in);
  finish();
  CHECK_THAT(out.host()[0] == 127 + 128);
}

// A copy arrives at an mbarrier, in PTX.
__global__ void arrive_on_mbarrier(int* out, const int* in) {
  __shared__ alignas(8) unsigned long long bar;
  __shared__ alignas(16) int s[256];
  const int t = threadIdx.x;
  const unsigned b = unsigned(__cvta_generic_to_shared(&bar));
  if (t == 0) asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(b), "r"(blockDim.x) : "memory");
  __syncthreads();
  copy16(&s[4 * t], in + 4 * t);
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(b) : "memory");
  int done = 0;
  while (!done) {
    asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.b32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(b)
                 : "memory");
  }
  out[t] = s[255 - t];
}
CASE(copies_arrive_at_an_mbarrier) {
  Buffer<int> out(64), in(256, 0, 1);
  arrive_on_mbarrier<<<1, 64>>>(out, in);
  finish();
  CHECK_THAT(out.host()[0] == 255);
}

// One warp fetches, the others work: full and empty barriers for each stage.
__global__ void specialised(int* out, const int* in, int tiles) {
  using Barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ Barrier full[2], empty[2];
  __shared__ int s[2][64];
  const int t = threadIdx.x;
  if (t == 0) {
    for (int k = 0; k < 2; ++k) {
      init(&full[k], 32 + 64);
      init(&empty[k], 32 + 64);
    }
  }
  __syncthreads();
  if (t < 32) {
    for (int k = 0; k < tiles; ++k) {
      empty[k % 2].arrive_and_wait();
      s[k % 2][t] = in[k * 64 + t];
      s[k % 2][t + 32] = in[k * 64 + t + 32];
      (void)full[k % 2].arrive();
    }
  } else {
    int sum = 0;
    (void)empty[0].arrive();
    (void)empty[1].arrive();
    for (int k = 0; k < tiles; ++k) {
      full[k % 2].arrive_and_wait();
      sum += s[k % 2][95 - t];
      (void)empty[k % 2].arrive();
    }
    out[t - 32] = sum;
  }
}
CASE(producer_warp_and_consumer_warps) {
  Buffer<int> out(64), in(6 * 64, 1);
  specialised<<<1, 96>>>(out, in, 6);
  finish();
  CHECK_THAT(out.host()[0] == 6);
}

// The same with a pipeline whose threads have roles.
__global__ void roles(int* out, const int* in, int tiles) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  __shared__ alignas(16) int s[2][64];
  const cg::thread_block block = cg::this_thread_block();
  const bool produces = block.thread_rank() < 32;
  auto pipeline = cuda::make_pipeline(
      block, &state, produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
  if (produces) {
    for (int k = 0; k < tiles; ++k) {
      pipeline.producer_acquire();
      cuda::memcpy_async(&s[k % 2][2 * threadIdx.x], in + k * 64 + 2 * threadIdx.x,
                         cuda::aligned_size_t<8>(8), pipeline);
      pipeline.producer_commit();
    }
  } else {
    int sum = 0;
    for (int k = 0; k < tiles; ++k) {
      pipeline.consumer_wait();
      sum += s[k % 2][95 - threadIdx.x];
      pipeline.consumer_release();
    }
    out[threadIdx.x - 32] = sum;
  }
}
CASE(pipeline_with_roles) {
  Buffer<int> out(64), in(6 * 64, 1);
  roles<<<1, 96>>>(out, in, 6);
  finish();
  CHECK_THAT(out.host()[0] == 6);
}

// Two collective copies, one wait for the older of them.
__global__ void wait_for_the_first(int* out, const int* in) {
  __shared__ alignas(16) int a[64], b[64];
  const cg::thread_block block = cg::this_thread_block();
  cg::memcpy_async(block, a, in, sizeof a);
  cg::memcpy_async(block, b, in + 64, sizeof b);
  cg::wait_prior<1>(block);
  int sum = a[63 - threadIdx.x];
  cg::wait(block);
  sum += b[63 - threadIdx.x];
  out[threadIdx.x] = sum;
}
CASE(wait_prior_of_a_block) {
  Buffer<int> out(64), in(128, 0, 1);
  wait_for_the_first<<<1, 64>>>(out, in);
  finish();
  CHECK_THAT(out.host()[0] == 63 + 127);
}

// A warp's own pipeline in its own slice.
__global__ void slices(int* out, const int* in) {
  __shared__ alignas(16) int s[4][32];
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  int* mine = s[warp.meta_group_rank()];
  int sum = 0;
  for (int k = 0; k < 3; ++k) {
    cg::memcpy_async(warp, mine, in + (k * 4 + warp.meta_group_rank()) * 32, 128);
    cg::wait(warp);
    sum += mine[31 - warp.thread_rank()];
    warp.sync();
  }
  out[threadIdx.x] = sum;
}
CASE(copies_into_slices_of_warps) {
  Buffer<int> out(128), in(3 * 128, 1);
  slices<<<1, 128>>>(out, in);
  finish();
  CHECK_THAT(out.host()[0] == 3);
}

// mbarrier in PTX: arrive with a token, test_wait in a loop, two phases.
__global__ void mbarrier_phases(int* out, const int* in) {
  __shared__ alignas(8) unsigned long long bar;
  __shared__ int s[64];
  const int t = threadIdx.x;
  const unsigned b = unsigned(__cvta_generic_to_shared(&bar));
  if (t == 0) asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(b) : "memory");
  __syncthreads();
  int x = in[t];
  for (int k = 0; k < 4; ++k) {
    s[t] = x;
    for (int half = 0; half < 2; ++half) {
      unsigned long long token;
      asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(token) : "r"(b) : "memory");
      int done = 0;
      while (!done)
        asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(b), "l"(token)
                     : "memory");
      if (half == 0) x += s[63 - t];
    }
  }
  out[t] = x;
}
CASE(phases_of_an_mbarrier) {
  Buffer<int> out(64), in(64, 1);
  mbarrier_phases<<<1, 64>>>(out, in);
  finish();
  CHECK_THAT(out.host()[0] == 16);
}

// Threads that are done drop out of the barrier.
__global__ void dropping_out(int* out, const int* in) {
  using Barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ Barrier barrier;
  __shared__ int s[64];
  const int t = threadIdx.x;
  if (t == 0) init(&barrier, blockDim.x);
  __syncthreads();
  s[t] = in[t];
  barrier.arrive_and_wait();
  if (t >= 32) {
    barrier.arrive_and_drop();
    return;
  }
  const int x = s[63 - t];
  barrier.arrive_and_wait();
  s[t] = x;
  barrier.arrive_and_wait();
  out[t] = s[31 - t];
}
CASE(arrive_and_drop) {
  Buffer<int> out(64), in(64, 0, 1);
  dropping_out<<<1, 64>>>(out, in);
  finish();
  CHECK_THAT(out.host()[0] == 32);
}
