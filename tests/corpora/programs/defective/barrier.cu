// Block barriers that not all threads reach, or not at the same place.
#include "../case.h"

// expect: barrier
// wrong: 28 of the 128 threads never reach the barrier.
// cure:  move it out of the if.
__global__ void mirror_some(int* out, const int* in, int n) {
  __shared__ int s[128];
  const int t = threadIdx.x;
  if (t < n) {
    s[t] = in[t];
    __syncthreads();  // <- barrier
    out[t] = s[n - 1 - t];
  }
}
CASE(in_a_divergent_branch) {
  Buffer<int> out(128), in(128, 0, 1);
  mirror_some<<<1, 128>>>(out, in, 100);
  finish();
}

// expect: barrier
// wrong: threads beyond the end have left; the barrier counts on all of them.
// cure:  guard the load and the store, and let all threads reach the barrier.
__global__ void mirror_with_early_return(int* out, const int* in, int n) {
  __shared__ int s[128];
  const int t = threadIdx.x;
  if (t >= n) return;
  s[t] = in[t];
  __syncthreads();  // <- barrier
  out[t] = s[n - 1 - t];
}
CASE(after_an_early_return) {
  Buffer<int> out(128), in(128, 0, 1);
  mirror_with_early_return<<<1, 128>>>(out, in, 100);
  finish();
}

// expect: barrier
// wrong: the first eight threads go round the loop once more than the others.
// cure:  the same number of rounds for all, with a guard inside.
__global__ void running_maximum(int* out, const int* in, int n) {
  __shared__ int best;
  if (threadIdx.x == 0) best = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    atomicMax(&best, in[i]);
    __syncthreads();  // <- barrier
  }
  if (threadIdx.x == 0) *out = best;
}
CASE(in_a_loop_of_different_lengths) {
  Buffer<int> out(1), in(200, 0, 1);
  running_maximum<<<1, 96>>>(out, in, 200);
  finish();
}

// expect: barrier|hang
// wrong: 64 threads use the barrier; it waits for 96.
// cure:  bar.sync 1, 64.
__global__ void pair_of_warps(int* out, const int* in) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  if (t < 64) {
    s[t] = in[t];
    asm volatile("bar.sync 1, 96;" ::: "memory");  // <- barrier
    out[t] = s[63 - t];
  }
}
CASE(named_barrier_with_too_high_a_count) {
  Buffer<int> out(128), in(128, 0, 1);
  pair_of_warps<<<1, 128>>>(out, in);
  finish();
}

// expect: barrier
// wrong: one barrier, two opinions of how many threads it is for.
// cure:  the same count at every bar of one barrier.
__global__ void two_counts(int* out, const int* in) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = in[t];
  if (t < 32) {
    asm volatile("bar.arrive 1, 64;" ::: "memory");  // <- barrier
  } else {
    asm volatile("bar.sync 1, 96;" ::: "memory");  // <- barrier
    out[t] = s[63 - t];
  }
}
CASE(named_barrier_with_two_counts) {
  Buffer<int> out(64), in(64, 0, 1);
  two_counts<<<1, 64>>>(out, in);
  finish();
}

// expect: barrier
// wrong: odd and even threads of one warp wait at different barriers.
// cure:  one barrier behind the if.
__global__ void odd_and_even(int* out, const int* in) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  if (t % 2 == 0) {
    s[t] = in[t];
    __syncthreads();  // <- barrier
  } else {
    s[t] = -in[t];
    __syncthreads();  // <- barrier
  }
  out[t] = s[63 - t];
}
CASE(one_in_each_branch) {
  Buffer<int> out(64), in(64, 0, 1);
  odd_and_even<<<1, 64>>>(out, in);
  finish();
}

// expect: barrier
// wrong: && evaluates its right side only where the left one is true.
// cure:  call __syncthreads_or() first, for all threads.
__global__ void any_large(int* out, const int* in) {
  const int x = in[threadIdx.x];
  if (x > 20 && __syncthreads_or(x > 100)) {  // <- barrier
    out[threadIdx.x] = x;
  }
}
CASE(short_circuit) {
  Buffer<int> out(128), in(128, 0, 1);
  any_large<<<1, 128>>>(out, in);
  finish();
}

// expect: barrier
// wrong: a thread that has found its element leaves the loop; the others go on to the barrier.
// cure:  leave when __syncthreads_and() says that all have finished.
__global__ void search(int* out, const int* in, int n) {
  __shared__ int window[32];
  const int t = threadIdx.x;
  int found = -1;
  for (int base = 0; base < n; base += 32) {
    if (t < 32) window[t] = in[base + t];
    __syncthreads();  // <- barrier
    for (int k = 0; k < 32; ++k) {
      if (window[k] == 3 * t) found = base + k;
    }
    if (found >= 0) break;
    __syncthreads();  // <- barrier
  }
  out[t] = found;
}
CASE(after_a_break) {
  Buffer<int> out(64), in(192, 0, 1);
  search<<<1, 64>>>(out, in, 192);
  finish();
}

// expect: barrier
// wrong: a barrier's count is in threads of whole warps; 48 is one warp and a half.
// cure:  64, and let both warps take part.
__global__ void warp_and_a_half(int* out, const int* in) {
  __shared__ int s[48];
  const int t = threadIdx.x;
  s[t] = in[t];
  asm volatile("bar.sync 1, %0;" ::"r"(blockDim.x) : "memory");  // <- barrier
  out[t] = s[47 - t];
}
CASE(count_no_multiple_of_the_warp) {
  Buffer<int> out(48), in(48, 0, 1);
  warp_and_a_half<<<1, 48>>>(out, in);
  finish();
}
