// What looks ordered and is not: volatile messages, read-only loads of what the kernel writes, masks by
// chance.
#include "../case.h"

// expect: race global
// wrong: value and flag are volatile, and nothing orders the two stores for the other block
// cure:  __threadfence() between the value and the flag
__global__ void volatile_message(volatile int* value, volatile int* flag, int* out) {
  if (blockIdx.x == 0) {
    if (threadIdx.x == 0) {
      *value = 42;  // <- race
      *flag = 1;
    }
  } else if (threadIdx.x == 0) {
    while (*flag == 0) {
    }
    *out = *value;  // <- race
  }
}
CASE(volatile_value_and_flag) {
  Buffer<int> value(1), flag(1), out(1);
  volatile_message<<<2, 32>>>(value, flag, out);
  finish();
}

// expect: race global
// wrong: one thread waits for the whole block; the values that all then read were not fenced
// cure:  __threadfence() before the flag
__global__ void volatile_tiles(volatile float* tile, volatile unsigned* ready, float* out) {
  const int i = threadIdx.x;
  if (blockIdx.x == 0) {
    tile[i] = i * 0.5f;  // <- race
    __syncthreads();
    if (i == 0) *ready = 1;
    return;
  }
  if (i == 0) {
    while (*ready == 0) __nanosleep(20);
  }
  __syncthreads();
  out[i] = tile[127 - i];  // <- race
}
CASE(volatile_tile_and_flag) {
  Buffer<float> tile(128), out(128);
  Buffer<unsigned> ready(1);
  volatile_tiles<<<2, 128>>>(tile, ready, out);
  finish();
}

// expect: race shared
// wrong: the second warp waits by a volatile flag for a value that no fence orders before it
// cure:  __threadfence_block() before the flag, or a barrier
__global__ void between_warps(int* out, const int* in) {
  __shared__ volatile int value;
  __shared__ volatile int flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    value = in[0];  // <- race
    flag = 1;
  } else if (threadIdx.x == 32) {
    while (flag == 0) {
    }
    out[0] = value;  // <- race
  }
}
CASE(volatile_message_between_warps) {
  Buffer<int> out(1), in(1, 7);
  between_warps<<<1, 64>>>(out, in);
  finish();
}

// expect: race global
// wrong: __ldg() reads what the same kernel has stored
// cure:  a plain load
__global__ void stored_and_ldg(int* data, int* out) {
  data[threadIdx.x] = threadIdx.x * 3;  // <- race
  __syncthreads();
  out[threadIdx.x] = __ldg(&data[127 - threadIdx.x]);  // <- race
}
CASE(ldg_of_ones_own_stores) {
  Buffer<int> data(128), out(128);
  stored_and_ldg<<<1, 128>>>(data, out);
  finish();
}

// expect: race global
// wrong: the input is promised to be written by nobody, and the output is the same memory
// cure:  two buffers, or no `const __restrict__`
__global__ void shifted_twice(int* __restrict__ to, const int* __restrict__ from, int n) {
  const int i = threadIdx.x;
  const int mine = from[n - 1 - i];
  __syncthreads();
  to[i] = mine;  // <- race
  __syncthreads();
  const int next = from[(i + 1) % n];  // <- race
  __syncthreads();
  to[i] = next + mine;
}
CASE(restricted_input_that_is_the_output) {
  Buffer<int> data(128, 0, 1);
  shifted_twice<<<1, 128>>>(data, data, 128);
  finish();
}

// expect: mask
// wrong: after the branch nobody promises that all lanes are there again
// cure:  0xffffffff for the mask
__global__ void sum_behind_a_branch(int* out, const int* in, int n) {
  int v = 0;
  if (int(threadIdx.x) < n) v = in[threadIdx.x];
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(__activemask(), v, d);  // <- mask
  if (threadIdx.x == 0) *out = v;
}
CASE(active_mask_behind_a_branch) {
  Buffer<int> out(1), in(32, 1);
  sum_behind_a_branch<<<1, 32>>>(out, in, 20);
  finish();
}

// expect: mask
// wrong: lanes of the branch read from lanes outside it, and store what they get
// cure:  all lanes shuffle, and only some store
__global__ void neighbour_in_a_branch(int* out, const int* in) {
  const int lane = threadIdx.x, v = in[lane];
  const unsigned low = __ballot_sync(0xffffffffu, lane < 20);
  if (lane < 20) out[lane] = __shfl_down_sync(low, v, 1);  // <- mask
}
CASE(neighbour_outside_the_mask) {
  Buffer<int> out(32), in(32, 1);
  neighbour_in_a_branch<<<1, 32>>>(out, in);
  finish();
}

// expect: mask
// wrong: the first lanes add what they read from lanes that are not in the mask
// cure:  zeros in those lanes, and the mask of all
__global__ void sum_of_some(int* out, const int* in, int n) {
  const unsigned some = __ballot_sync(0xffffffffu, int(threadIdx.x) < n);
  if (int(threadIdx.x) >= n) return;
  int v = in[threadIdx.x];
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(some, v, d);  // <- mask
  if (threadIdx.x == 0) *out = v;
}
CASE(reduction_over_part_of_a_warp) {
  Buffer<int> out(1), in(32, 1);
  sum_of_some<<<1, 32>>>(out, in, 10);
  finish();
}

// expect: race global
// wrong: one function looks at flag and value, two volatile words that nothing orders
// cure:  one word for both, or a fence on either side
struct Message {
  int there, value;
};
__device__ Message look_at(const volatile int* words) {
  const int there = words[0];
  return {there, there == 0 ? 0 : words[1]};  // <- race
}
__global__ void message_by_function(volatile int* words, int* out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    words[1] = 42;  // <- race
    words[0] = 1;
    return;
  }
  Message message = look_at(words);
  while (message.there == 0) message = look_at(words);
  *out = message.value;
}
CASE(volatile_value_and_flag_seen_by_a_function) {
  Buffer<int> words(2), out(1);
  message_by_function<<<2, 32>>>(words, out);
  finish();
}
