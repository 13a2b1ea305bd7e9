// Correct: copies to shared memory that run beside the work, and the barriers that belong to them.
#include <cooperative_groups.h>
#include <cuda_pipeline.h>

#include <cuda/barrier>
#include <cuda/pipeline>

#include "../case.h"

#pragma nv_diag_suppress static_var_with_dynamic_init  // barriers in shared memory: init() sets them up

namespace cg = cooperative_groups;

// Each thread copies for itself, waits, and reads its own bytes: no barrier needed.
__global__ void own_bytes(int* out, const int* in) {
  __shared__ alignas(16) int s[128];
  const int t = threadIdx.x;
  __pipeline_memcpy_async(&s[4 * t], &in[4 * t], 16);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[t] = s[4 * t] + s[4 * t + 3];
}
CASE(copy_of_ones_own) {
  Buffer<int> out(32), in(128, 0, 1);
  own_bytes<<<1, 32>>>(out, in);
  finish();
  CHECK_THAT(out.host()[31] == 124 + 127);
}

// Tile k + 1 is on its way while tile k is added up.
__global__ void two_stages(int* out, const int* in, int tiles) {
  __shared__ alignas(16) int s[2][256];
  const int t = threadIdx.x;
  int sum = 0;
  __pipeline_memcpy_async(&s[0][4 * t], &in[4 * t], 16);
  __pipeline_commit();
  for (int k = 0; k < tiles; ++k) {
    if (k + 1 < tiles) {
      __pipeline_memcpy_async(&s[(k + 1) % 2][4 * t], &in[(k + 1) * 256 + 4 * t], 16);
    }
    __pipeline_commit();  // an empty group at the end keeps the count right
    __pipeline_wait_prior(1);
    __syncthreads();
    sum += s[k % 2][255 - t];
    __syncthreads();
  }
  out[t] = sum;
}
CASE(pipeline_of_two_stages) {
  Buffer<int> out(64), in(5 * 256, 1);
  two_stages<<<1, 64>>>(out, in, 5);
  finish();
  CHECK_THAT(out.host()[0] == 5);
}

// With three stages one barrier a step is enough: the stage refilled was read before that barrier.
__global__ void three_stages(int* out, const int* in, int tiles) {
  __shared__ alignas(16) int s[3][256];
  const int t = threadIdx.x;
  int sum = 0;
  for (int k = 0; k < 2; ++k) {
    if (k < tiles) __pipeline_memcpy_async(&s[k][4 * t], &in[k * 256 + 4 * t], 16);
    __pipeline_commit();
  }
  for (int k = 0; k < tiles; ++k) {
    __pipeline_wait_prior(1);
    __syncthreads();
    if (k + 2 < tiles) {
      __pipeline_memcpy_async(&s[(k + 2) % 3][4 * t], &in[(k + 2) * 256 + 4 * t], 16);
    }
    __pipeline_commit();
    sum += s[k % 3][255 - t];
  }
  out[t] = sum;
}
CASE(pipeline_of_three_stages) {
  Buffer<int> out(64), in(7 * 256, 1);
  three_stages<<<1, 64>>>(out, in, 7);
  finish();
  CHECK_THAT(out.host()[0] == 7);
}

// The pipeline object of one thread.
__global__ void pipeline_object(int* out, const int* in, int tiles) {
  __shared__ alignas(16) int s[2][256];
  const int t = threadIdx.x;
  auto pipeline = cuda::make_pipeline();
  int sum = 0;
  pipeline.producer_acquire();
  cuda::memcpy_async(&s[0][4 * t], &in[4 * t], cuda::aligned_size_t<16>(16), pipeline);
  pipeline.producer_commit();
  for (int k = 0; k < tiles; ++k) {
    pipeline.producer_acquire();
    if (k + 1 < tiles) {
      cuda::memcpy_async(&s[(k + 1) % 2][4 * t], &in[(k + 1) * 256 + 4 * t], cuda::aligned_size_t<16>(16),
                         pipeline);
    }
    pipeline.producer_commit();
    cuda::pipeline_consumer_wait_prior<1>(pipeline);
    __syncthreads();
    sum += s[k % 2][255 - t];
    __syncthreads();
    pipeline.consumer_release();
  }
  out[t] = sum;
}
CASE(pipeline_object_of_a_thread) {
  Buffer<int> out(64), in(4 * 256, 1);
  pipeline_object<<<1, 64>>>(out, in, 4);
  finish();
  CHECK_THAT(out.host()[0] == 4);
}

// Arrive early, do something else, wait late.
__global__ void split_barrier(int* out, const int* in) {
  using Barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ Barrier barrier;
  __shared__ int s[64];
  const int t = threadIdx.x;
  if (t == 0) init(&barrier, blockDim.x);
  __syncthreads();
  int other = 0;
  for (int k = 0; k < 3; ++k) {
    s[t] = in[t] + k;
    auto token = barrier.arrive();
    other += t;  // needs nothing of the others
    barrier.wait(std::move(token));
    other += s[63 - t];
    barrier.arrive_and_wait();
  }
  out[t] = other;
}
CASE(barrier_in_two_halves) {
  Buffer<int> out(64), in(64, 0, 1);
  split_barrier<<<1, 64>>>(out, in);
  finish();
  CHECK_THAT(out.host()[0] == 3 * 63 + 3);
}

// The copy arrives at the barrier when it is done.
__global__ void copy_with_barrier(int* out, const int* in) {
  using Barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ Barrier barrier;
  __shared__ alignas(16) int s[256];
  const int t = threadIdx.x;
  if (t == 0) init(&barrier, blockDim.x);
  __syncthreads();
  cuda::memcpy_async(&s[4 * t], &in[4 * t], cuda::aligned_size_t<16>(16), barrier);
  barrier.arrive_and_wait();
  out[t] = s[255 - t];
}
CASE(copy_that_arrives_at_a_barrier) {
  Buffer<int> out(64), in(256, 0, 1);
  copy_with_barrier<<<1, 64>>>(out, in);
  finish();
  CHECK_THAT(out.host()[0] == 255);
}

// A pipeline that the whole block shares.
__global__ void shared_pipeline(int* out, const int* in, int tiles) {
  constexpr int kStages = 2;
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, kStages> state;
  __shared__ alignas(16) int s[kStages][64];
  const cg::thread_block block = cg::this_thread_block();
  auto pipeline = cuda::make_pipeline(block, &state);
  int sum = 0, fetched = 0;
  for (int k = 0; k < tiles; ++k) {
    for (; fetched < tiles && fetched < k + kStages; ++fetched) {
      pipeline.producer_acquire();
      cuda::memcpy_async(block, s[fetched % kStages], in + fetched * 64, cuda::aligned_size_t<16>(256),
                         pipeline);
      pipeline.producer_commit();
    }
    pipeline.consumer_wait();
    sum += s[k % kStages][63 - block.thread_rank()];
    pipeline.consumer_release();
  }
  out[block.thread_rank()] = sum;
}
CASE(pipeline_shared_by_the_block) {
  Buffer<int> out(64), in(4 * 64, 1);
  shared_pipeline<<<1, 64>>>(out, in, 4);
  finish();
  CHECK_THAT(out.host()[0] == 4);
}
