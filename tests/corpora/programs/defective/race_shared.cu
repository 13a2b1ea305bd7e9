// Races on shared memory, within one block.
#include <cuda_pipeline.h>

#include "../case.h"

// expect: race shared
// wrong: a thread reads an element that another warp may not have written yet.
// cure:  __syncthreads() between the two lines.
__global__ void mirror(int* out, const int* in) {
  __shared__ int s[256];
  s[threadIdx.x] = in[threadIdx.x];         // <- race
  out[threadIdx.x] = s[255 - threadIdx.x];  // <- race
}
CASE(no_barrier_before_the_first_read) {
  Buffer<int> out(256), in(256, 0, 1);
  mirror<<<1, 256>>>(out, in);
  finish();
}

// expect: race shared
// wrong: a fast warp loads the next tile while a slow one still adds up this one.
// cure:  a second __syncthreads() at the end of the loop's body.
__global__ void sum_of_tiles(int* out, const int* in, int tiles) {
  __shared__ int tile[128];
  int sum = 0;
  for (int k = 0; k < tiles; ++k) {
    tile[threadIdx.x] = in[k * 128 + threadIdx.x];  // <- race
    __syncthreads();
    for (int j = 0; j < 128; ++j) sum += tile[j];  // <- race
  }
  out[threadIdx.x] = sum;
}
CASE(no_barrier_before_the_tile_is_overwritten) {
  Buffer<int> out(128), in(3 * 128, 0, 1);
  sum_of_tiles<<<1, 128>>>(out, in, 3);
  finish();
}

// expect: race shared
// wrong: each step reads sums that other warps write in the step before.
// cure:  __syncthreads() after each step, outside the if.
__global__ void reduce_without_barrier(int* out, const int* in) {
  __shared__ int s[256];
  const int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  for (int h = 128; h > 0; h /= 2) {
    if (t < h) s[t] += s[t + h];  // <- race
  }
  if (t == 0) *out = s[0];
}
CASE(no_barrier_in_the_loop) {
  Buffer<int> out(1), in(256, 0, 1);
  reduce_without_barrier<<<1, 256>>>(out, in);
  finish();
}

// expect: race shared
// wrong: one warp, but nothing says that its lanes go in step.
// cure:  __syncwarp() after each step, and between reading and writing.
__global__ void reduce_in_a_warp(int* out, const int* in) {
  __shared__ int s[32];
  const int t = threadIdx.x;
  s[t] = in[t];
  __syncwarp();
  for (int h = 16; h > 0; h /= 2) {
    if (t < h) s[t] += s[t + h];  // <- race
  }
  if (t == 0) *out = s[0];
}
CASE(warp_synchronous_reduction) {
  Buffer<int> out(1), in(32, 0, 1);
  reduce_in_a_warp<<<1, 32>>>(out, in);
  finish();
}

// expect: race shared
// wrong: volatile keeps the accesses, not their order among lanes; a habit from before Volta.
// cure:  __syncwarp() between reading and writing, or shuffles.
__global__ void reduce_volatile(int* out, const int* in) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  if (t < 32) {
    volatile int* v = s;
    v[t] += v[t + 32];  // <- race
    v[t] += v[t + 16];  // <- race
    v[t] += v[t + 8];   // <- race
    v[t] += v[t + 4];   // <- race
    v[t] += v[t + 2];   // <- race
    v[t] += v[t + 1];   // <- race
  }
  if (t == 0) *out = s[0];
}
CASE(volatile_reduction) {
  Buffer<int> out(1), in(64, 0, 1);
  reduce_volatile<<<1, 64>>>(out, in);
  finish();
}

// expect: race shared
// wrong: the right-hand neighbour may have moved its own element already.
// cure:  read into a register, __syncthreads(), then write.
__global__ void shift_left(int* out, const int* in) {
  __shared__ int s[129];
  const int t = threadIdx.x;
  s[t] = in[t];
  if (t == 0) s[128] = 0;
  __syncthreads();
  s[t] = s[t + 1];  // <- race
  out[t] = s[t];
}
CASE(neighbour_exchange) {
  Buffer<int> out(128), in(128, 0, 1);
  shift_left<<<1, 128>>>(out, in);
  finish();
}

// expect: race shared
// wrong: a shuffle exchanges registers; it orders no memory.
// cure:  __syncwarp() after the store.
__global__ void shuffle_as_fence(int* out, const int* in) {
  __shared__ int s[32];
  const int lane = threadIdx.x;
  s[lane] = in[lane];  // <- race
  const int other = __shfl_xor_sync(0xffffffffu, in[lane], 1);
  out[lane] = other + s[lane ^ 2];  // <- race
}
CASE(shuffle_taken_for_a_fence) {
  Buffer<int> out(32), in(32, 0, 1);
  shuffle_as_fence<<<1, 32>>>(out, in);
  finish();
}

// expect: race shared
// wrong: the next step's store hits the half that slow threads still read in this step.
// cure:  the barrier belongs after the read, at the end of the step.
__global__ void double_buffer(int* out, const int* in, int tiles) {
  __shared__ int tile[2][128];
  const int t = threadIdx.x;
  int sum = 0;
  tile[0][t] = in[t];
  for (int k = 0; k < tiles; ++k) {
    if (k + 1 < tiles) tile[(k + 1) % 2][t] = in[(k + 1) * 128 + t];  // <- race
    __syncthreads();
    sum += tile[k % 2][127 - t];  // <- race
  }
  out[t] = sum;
}
CASE(double_buffer_with_its_barrier_too_early) {
  Buffer<int> out(128), in(4 * 128, 0, 1);
  double_buffer<<<1, 128>>>(out, in, 4);
  finish();
}

// expect: race shared
// wrong: two threads read the same old count and both write it plus one.
// cure:  atomicAdd(&bins[...], 1).
__global__ void histogram_in_shared(int* out, const int* in) {
  __shared__ int bins[16];
  const int t = threadIdx.x;
  if (t < 16) bins[t] = 0;
  __syncthreads();
  ++bins[in[t] % 16];  // <- race
  __syncthreads();
  if (t < 16) out[t] = bins[t];
}
CASE(histogram_without_atomics) {
  Buffer<int> out(16), in(128, 0, 3);
  histogram_in_shared<<<1, 128>>>(out, in);
  finish();
}

// expect: race shared
// wrong: the barrier is one of the first two warps; the others neither wait nor are waited for.
// cure:  __syncthreads(), since all four warps exchange data.
__global__ void barrier_of_two_warps(int* out, const int* in) {
  __shared__ int s[128];
  const int t = threadIdx.x;
  s[t] = in[t];  // <- race
  if (t < 64) asm volatile("bar.sync 1, 64;" ::: "memory");
  out[t] = s[127 - t];  // <- race
}
CASE(barrier_of_the_wrong_threads) {
  Buffer<int> out(128), in(128, 0, 1);
  barrier_of_two_warps<<<1, 128>>>(out, in);
  finish();
}

// expect: race shared
// wrong: nothing waits for the asynchronous copy, not even the thread that started it.
// cure:  __pipeline_wait_prior(0) before the barrier.
__global__ void copy_without_wait(int* out, const int* in) {
  __shared__ alignas(16) int s[128];
  const int t = threadIdx.x;
  __pipeline_memcpy_async(&s[4 * t], &in[4 * t], 16);  // <- race
  __pipeline_commit();
  __syncthreads();
  out[t] = s[4 * t];  // <- race
}
CASE(asynchronous_copy_without_wait) {
  Buffer<int> out(32), in(128, 0, 1);
  copy_without_wait<<<1, 32>>>(out, in);
  finish();
}

// expect: race shared
// wrong: each thread waits for its own copies, and reads what another thread copied.
// cure:  __syncthreads() after the wait.
__global__ void copy_without_barrier(int* out, const int* in) {
  __shared__ alignas(16) int s[512];
  const int t = threadIdx.x;
  __pipeline_memcpy_async(&s[4 * t], &in[4 * t], 16);  // <- race
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[t] = s[511 - 4 * t];  // <- race
}
CASE(asynchronous_copy_without_barrier) {
  Buffer<int> out(128), in(512, 0, 1);
  copy_without_barrier<<<1, 128>>>(out, in);
  finish();
}

// expect: race shared
// wrong: two copies are in flight and the thread waits for all but the last one, which it needs.
// cure:  __pipeline_wait_prior(0).
__global__ void waits_for_the_older_copy(int* out, const int* in) {
  __shared__ alignas(16) int s[2][128];
  const int t = threadIdx.x;
  __pipeline_memcpy_async(&s[0][4 * t], &in[4 * t], 16);
  __pipeline_commit();
  __pipeline_memcpy_async(&s[1][4 * t], &in[128 + 4 * t], 16);  // <- race
  __pipeline_commit();
  __pipeline_wait_prior(1);
  __syncthreads();
  out[t] = s[0][t] + s[1][t];  // <- race
}
CASE(asynchronous_copy_waits_for_the_wrong_stage) {
  Buffer<int> out(32), in(256, 0, 1);
  waits_for_the_older_copy<<<1, 32>>>(out, in);
  finish();
}

// expect: race shared
// wrong: __syncwarp() orders 32 threads; the mirror image lies in another warp.
// cure:  __syncthreads().
__global__ void warp_barrier_for_a_block(int* out, const int* in) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = in[t];  // <- race
  __syncwarp();
  out[t] = s[63 - t];  // <- race
}
CASE(warp_barrier_where_a_block_barrier_is_needed) {
  Buffer<int> out(64), in(64, 0, 1);
  warp_barrier_for_a_block<<<1, 64>>>(out, in);
  finish();
}

// expect: race shared
// wrong: a thread may count before thread 0 has set the counter to zero.
// cure:  __syncthreads() after the line that sets it.
__global__ void count_positive(int* out, const int* in) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;                // <- race
  if (in[threadIdx.x] > 0) atomicAdd(&count, 1);  // <- race
  __syncthreads();
  if (threadIdx.x == 0) *out = count;
}
CASE(counter_set_to_zero_too_late) {
  Buffer<int> out(1), in(128, -60, 1);
  count_positive<<<1, 128>>>(out, in);
  finish();
}

// expect: race shared
// wrong: thread 0 announces the next value while others still read this one.
// cure:  a second __syncthreads() after the read.
__global__ void broadcast(int* out, const int* in, int n) {
  __shared__ int value;
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    if (threadIdx.x == 0) value = in[i];  // <- race
    __syncthreads();
    sum += value;  // <- race
  }
  out[threadIdx.x] = sum;
}
CASE(broadcast_overwritten) {
  Buffer<int> out(96), in(5, 0, 1);
  broadcast<<<1, 96>>>(out, in, 5);
  finish();
}

// expect: race shared
// wrong: the first warp adds up the warps' sums before all of them are there.
// cure:  __syncthreads() between the two ifs.
__global__ void sums_of_warps(int* out, const int* in) {
  __shared__ int sums[4];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int sum = __reduce_add_sync(0xffffffffu, in[threadIdx.x]);
  if (lane == 0) sums[warp] = sum;  // <- race
  if (threadIdx.x == 0) {
    *out = sums[0] + sums[1] + sums[2] + sums[3];  // <- race
  }
}
CASE(warp_sums_without_barrier) {
  Buffer<int> out(1), in(128, 0, 1);
  sums_of_warps<<<1, 128>>>(out, in);
  finish();
}

// expect: race shared
// wrong: each thread that comes by leaves a number of its own in both words: whose stays?
// cure:  atomicMax(), or one thread that decides.
__global__ void last_in_a_chain(int* out, const int* in) {
  __shared__ int last[2];
  if (threadIdx.x < 2) last[threadIdx.x] = -1;
  __syncthreads();
  if (in[threadIdx.x] % 2 == 0) last[0] = last[1] = threadIdx.x;  // <- race
  __syncthreads();
  if (threadIdx.x < 2) out[threadIdx.x] = last[threadIdx.x];
}
CASE(different_values_in_a_chain) {
  Buffer<int> out(2), in(128, 0, 1);
  last_in_a_chain<<<1, 128>>>(out, in);
  finish();
}

// expect: race shared
// wrong: the first lane of each warp leaves its own number, all in one word.
// cure:  an element for each warp: first[threadIdx.x / 32].
__global__ void leaders_in_one_word(int* out) {
  __shared__ int first[4];
  if (threadIdx.x % 32 == 0) first[0] = threadIdx.x;  // <- race
  __syncthreads();
  if (threadIdx.x == 0) *out = first[0];
}
CASE(leaders_of_warps_in_one_word) {
  Buffer<int> out(1);
  leaders_in_one_word<<<1, 128>>>(out);
  finish();
}
