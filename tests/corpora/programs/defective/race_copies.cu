// Asynchronous copies that are read, or overwritten, too early.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_pipeline.h>

#include <cuda/barrier>
#include <cuda/pipeline>

#include "../case.h"

#pragma nv_diag_suppress static_var_with_dynamic_init

namespace cg = cooperative_groups;

// expect: race shared
// wrong: the thread reads its own bytes before it has waited for the copy.
// cure:  __pipeline_wait_prior(0).
__global__ void own_bytes(int* out, const int* in) {
  __shared__ int s[32];
  const int t = threadIdx.x;
  __pipeline_memcpy_async(&s[t], &in[t], 4);  // <- race
  __pipeline_commit();
  out[t] = s[t];  // <- race
}
CASE(own_copy_not_waited_for) {
  Buffer<int> out(32), in(32, 0, 1);
  own_bytes<<<1, 32>>>(out, in);
  finish();
}

// expect: race shared
// wrong: wait_prior(1) leaves the latest group under way, which is the one that is read.
// cure:  __pipeline_wait_prior(0).
__global__ void one_too_many(int* out, const int* in) {
  __shared__ int s[32];
  const int t = threadIdx.x;
  __pipeline_memcpy_async(&s[t], &in[t], 4);  // <- race
  __pipeline_commit();
  __pipeline_wait_prior(1);
  out[t] = s[t];  // <- race
}
CASE(wait_leaves_one_group) {
  Buffer<int> out(32), in(32, 0, 1);
  one_too_many<<<1, 32>>>(out, in);
  finish();
}

// expect: race shared
// wrong: the copies were never committed to a group, so wait_group does not wait for them.
// cure:  cp.async.commit_group before the wait.
__global__ void not_committed(int* out, const int* in) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  asm volatile(                                                                                     // <- race
      "cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(unsigned(__cvta_generic_to_shared(&s[t]))),  // <- race
      "l"(in + t)
      : "memory");
  asm volatile("cp.async.wait_group 0;" ::: "memory");
  __syncthreads();
  out[t] = s[63 - t];  // <- race
}
CASE(copy_not_committed) {
  Buffer<int> out(64), in(64, 0, 1);
  not_committed<<<1, 64>>>(out, in);
  finish();
}

// expect: race shared
// wrong: a barrier does not wait for asynchronous copies.
// cure:  cp.async.wait_all before the barrier.
__global__ void barrier_only(int* out, const int* in) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  asm volatile(                                                                                     // <- race
      "cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(unsigned(__cvta_generic_to_shared(&s[t]))),  // <- race
      "l"(in + t)
      : "memory");
  __syncthreads();
  out[t] = s[63 - t];  // <- race
}
CASE(barrier_instead_of_a_wait) {
  Buffer<int> out(64), in(64, 0, 1);
  barrier_only<<<1, 64>>>(out, in);
  finish();
}

// expect: race shared
// wrong: with two stages the next copy overwrites the stage that others still read.
// cure:  a barrier before the copy, or a third stage.
__global__ void overwritten(int* out, const int* in, int tiles) {
  __shared__ int s[2][64];
  const int t = threadIdx.x;
  int sum = 0;
  __pipeline_memcpy_async(&s[0][t], &in[t], 4);
  __pipeline_commit();
  for (int k = 0; k < tiles; ++k) {
    if (k + 1 < tiles) __pipeline_memcpy_async(&s[(k + 1) % 2][t], &in[(k + 1) * 64 + t], 4);  // <- race
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    sum += s[k % 2][63 - t];  // <- race
  }
  out[t] = sum;
}
CASE(stage_refilled_too_early) {
  Buffer<int> out(64), in(4 * 64, 1);
  overwritten<<<1, 64>>>(out, in, 4);
  finish();
}

// expect: race shared
// wrong: consumer_wait() is missing.
// cure:  pipeline.consumer_wait() before the read.
__global__ void no_consumer_wait(int* out, const int* in) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  __shared__ alignas(16) int s[64];
  const cg::thread_block block = cg::this_thread_block();
  auto pipeline = cuda::make_pipeline(block, &state);
  pipeline.producer_acquire();
  cuda::memcpy_async(&s[threadIdx.x], in + threadIdx.x, 4, pipeline);  // <- race
  pipeline.producer_commit();
  block.sync();
  out[threadIdx.x] = s[63 - threadIdx.x];  // <- race
  pipeline.consumer_wait();
  pipeline.consumer_release();
}
CASE(consumer_wait_forgotten) {
  Buffer<int> out(64), in(64, 0, 1);
  no_consumer_wait<<<1, 64>>>(out, in);
  finish();
}

// expect: race shared
// wrong: the stage is released before it is read.
// cure:  consumer_release() after the read.
__global__ void released_early(int* out, const int* in, int tiles) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 1> state;
  __shared__ int s[64];
  const cg::thread_block block = cg::this_thread_block();
  auto pipeline = cuda::make_pipeline(block, &state);
  int sum = 0;
  for (int k = 0; k < tiles; ++k) {
    pipeline.producer_acquire();
    cuda::memcpy_async(&s[threadIdx.x], in + k * 64 + threadIdx.x, 4, pipeline);  // <- race
    pipeline.producer_commit();
    pipeline.consumer_wait();
    pipeline.consumer_release();
    sum += s[63 - threadIdx.x];  // <- race
  }
  out[threadIdx.x] = sum;
}
CASE(stage_released_before_it_is_read) {
  Buffer<int> out(64), in(3 * 64, 1);
  released_early<<<1, 64>>>(out, in, 3);
  finish();
}

// expect: race shared
// wrong: cg::wait(block) is missing.
// cure:  cg::wait(block).
__global__ void no_group_wait(int* out, const int* in) {
  __shared__ alignas(16) int s[64];
  const cg::thread_block block = cg::this_thread_block();
  cg::memcpy_async(block, s, in, sizeof s);  // <- race
  block.sync();
  out[threadIdx.x] = s[63 - threadIdx.x];  // <- race
}
CASE(group_wait_forgotten) {
  Buffer<int> out(64), in(64, 0, 1);
  no_group_wait<<<1, 64>>>(out, in);
  finish();
}

// expect: race shared
// wrong: the thread arrives at the barrier and does not wait for its phase.
// cure:  barrier.wait(std::move(token)) before the read.
__global__ void arrives_only(int* out, const int* in) {
  using Barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ Barrier barrier;
  __shared__ int s[64];
  const int t = threadIdx.x;
  if (t == 0) init(&barrier, blockDim.x);
  __syncthreads();
  s[t] = in[t];  // <- race
  auto token = barrier.arrive();
  out[t] = s[63 - t];  // <- race
  barrier.wait(std::move(token));
}
CASE(barrier_arrived_at_and_not_waited_for) {
  Buffer<int> out(64), in(64, 0, 1);
  arrives_only<<<1, 64>>>(out, in);
  finish();
}

// expect: race shared
// wrong: the store comes after the arrival that should announce it.
// cure:  store first, then arrive.
__global__ void stores_late(int* out, const int* in) {
  using Barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ Barrier barrier;
  __shared__ int s[64];
  const int t = threadIdx.x;
  if (t == 0) init(&barrier, blockDim.x);
  __syncthreads();
  auto token = barrier.arrive();
  s[t] = in[t];  // <- race
  barrier.wait(std::move(token));
  out[t] = s[63 - t];  // <- race
}
CASE(store_after_the_arrival) {
  Buffer<int> out(64), in(64, 0, 1);
  stores_late<<<1, 64>>>(out, in);
  finish();
}

// expect: misaligned shared|global
// wrong: a copy of 16 bytes from an address that is a multiple of 4.
// cure:  copies of 4 bytes, or a start that is a multiple of 16.
__global__ void odd_source(int* out, const int* in) {
  __shared__ alignas(16) int s[128];
  const int t = threadIdx.x;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                   unsigned(__cvta_generic_to_shared(&s[4 * t]))),  // <- misaligned
               "l"(in + 1 + 4 * t)                                  // <- misaligned
               : "memory");
  asm volatile("cp.async.wait_all;" ::: "memory");
  out[t] = s[4 * t];
}
CASE(copy_from_an_odd_address) {
  Buffer<int> out(32), in(132, 0, 1);
  odd_source<<<1, 32>>>(out, in);
  finish();
}

// expect: out-of-bounds global
// wrong: the copies of the last threads come from beyond the end.
// cure:  src-size 0 where there is nothing to copy.
__global__ void beyond(int* out, const int* in) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  asm volatile(                                                                                     // <- out
      "cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(unsigned(__cvta_generic_to_shared(&s[t]))),  // <- out
      "l"(in + t)                                                                                   // <- out
      : "memory");
  asm volatile("cp.async.wait_all;" ::: "memory");
  out[t] = s[t];
}
CASE(copy_from_beyond_the_end) {
  Buffer<int> out(64), in(60, 0, 1);
  beyond<<<1, 64>>>(out, in);
  finish();
}

// expect: out-of-bounds shared
// wrong: the tile has 60 words, 64 threads copy into it.
// cure:  a guard.
__global__ void beyond_the_tile(int* out, const int* in) {
  __shared__ int s[60];
  const int t = threadIdx.x;
  __pipeline_memcpy_async(&s[t], &in[t], 4);  // <- out
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[t] = t < 60 ? s[t] : 0;
}
CASE(copy_to_beyond_the_tile) {
  Buffer<int> out(64), in(64, 0, 1);
  beyond_the_tile<<<1, 64>>>(out, in);
  finish();
}

// expect: uninitialized global
// wrong: nobody has written what is copied and then used.
// cure:  cudaMemcpy or cudaMemset first.
__global__ void copied_garbage(int* out, const int* in) {
  __shared__ int s[32];
  const int t = threadIdx.x;
  __pipeline_memcpy_async(&s[t], &in[t], 4);  // <- uninitialized
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[t] = s[t];  // <- uninitialized
}
CASE(copy_of_unwritten_words) {
  Buffer<int> out(32);
  int* in = nullptr;
  cudaMalloc(&in, 128);
  copied_garbage<<<1, 32>>>(out, in);
  finish();
  cudaFree(in);
}
