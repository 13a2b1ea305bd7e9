// Messages, read-only loads and masks as they should be, and some that only look as if they were not.
#include "../case.h"

__global__ void fenced_message(volatile int* value, volatile int* flag, int* out) {
  if (blockIdx.x == 0) {
    if (threadIdx.x == 0) {
      *value = 42;
      __threadfence();
      *flag = 1;
    }
  } else if (threadIdx.x == 0) {
    while (*flag == 0) {
    }
    __threadfence();
    *out = *value;
  }
}
CASE(volatile_value_and_flag_with_a_fence) {
  Buffer<int> value(1), flag(1), out(1);
  fenced_message<<<2, 32>>>(value, flag, out);
  finish();
  CHECK_THAT(out.host()[0] == 42);
}

__global__ void fenced_tile(volatile float* tile, volatile unsigned* ready, float* out) {
  const int i = threadIdx.x;
  if (blockIdx.x == 0) {
    tile[i] = i * 0.5f;
    __threadfence();
    __syncthreads();
    if (i == 0) *ready = 1;
    return;
  }
  if (i == 0) {
    while (*ready == 0) __nanosleep(20);
    __threadfence();
  }
  __syncthreads();
  out[i] = tile[127 - i];
}
CASE(volatile_tile_and_flag_with_a_fence) {
  Buffer<float> tile(128), out(128);
  Buffer<unsigned> ready(1);
  fenced_tile<<<2, 128>>>(tile, ready, out);
  finish();
  CHECK_THAT(out.host()[0] == 63.5f);
}

// Each place of the queue says itself whether it is filled: nobody needs to know of the others.
__global__ void queue_of_values(volatile int* places, volatile int* seen, int n) {
  if (blockIdx.x == 0) {
    for (int i = 0; i < n; ++i) places[i] = i + 1;
  } else {
    for (int i = n; i-- > 0;) {
      int v;
      while ((v = places[i]) == 0) {
      }
      seen[i] = v;
    }
  }
}
CASE(values_that_are_waited_for_themselves) {
  Buffer<int> places(8), seen(8);
  queue_of_values<<<2, 1>>>(places, seen, 8);
  finish();
  CHECK_THAT(seen.host()[7] == 8);
}

// Others' progress is only looked at: an old value is as good as a new one.
__global__ void progress(volatile int* steps, volatile int* furthest, int rounds) {
  int most = 0;
  for (int r = 1; r <= rounds; ++r) {
    steps[blockIdx.x] = r;
    for (unsigned b = 0; b < gridDim.x; ++b) most = max(most, steps[b]);
  }
  furthest[blockIdx.x] = most;
}
CASE(progress_that_is_only_looked_at) {
  Buffer<int> steps(4), furthest(4);
  progress<<<4, 1>>>(steps, furthest, 5);
  finish();
  CHECK_THAT(furthest.host()[3] == 5);
}

__global__ void doubled(int* __restrict__ to, const int* __restrict__ from) {
  const int v = from[threadIdx.x];
  to[threadIdx.x] = 2 * v + __ldg(from + 127 - threadIdx.x);
}
CASE(read_only_data_of_an_earlier_kernel) {
  Buffer<int> a(128, 0, 1), b(128), c(128);
  doubled<<<1, 128>>>(b, a);
  doubled<<<1, 128>>>(c, b);
  finish();
  CHECK_THAT(b.host()[1] == 128 && c.host()[1] == 2 * 128 + 127 + 126);
}

// Two halves of one buffer: what is written is not what is read.
CASE(halves_of_one_buffer) {
  Buffer<int> data(256, 0, 1);
  doubled<<<1, 128>>>(data + 128, data);
  finish();
  CHECK_THAT(data.host()[129] == 128);
}

// Upper lanes of the half read from outside the mask; nobody uses what they get.
__global__ void sum_of_sixteen(int* out, const int* in) {
  if (threadIdx.x >= 16) return;
  int v = in[threadIdx.x];
  for (int d = 8; d > 0; d /= 2) v += __shfl_down_sync(0xffffu, v, d);
  if (threadIdx.x == 0) *out = v;
}
CASE(reduction_of_half_a_warp) {
  Buffer<int> out(1), in(32, 1);
  sum_of_sixteen<<<1, 32>>>(out, in);
  finish();
  CHECK_THAT(out.host()[0] == 16);
}

__global__ void positives(int* count, int* places, const int* in) {
  if (in[threadIdx.x] % 3 == 0) return;
  const unsigned here = __activemask();  // any splitting of the lanes gives each its own place
  const int leader = __ffs(here) - 1, lane = threadIdx.x % 32;
  int first = 0;
  if (lane == leader) first = atomicAdd(count, __popc(here));
  first = __shfl_sync(here, first, leader);
  places[first + __popc(here & ((1u << lane) - 1))] = in[threadIdx.x];
}
CASE(those_here_take_places_together) {
  Buffer<int> count(1), places(64), in(64, 0, 1);
  positives<<<1, 64>>>(count, places, in);
  finish();
  CHECK_THAT(count.host()[0] == 42);
}

__global__ void whole_warps(int* out, const int* in, int n) {
  int sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += in[i];
  __syncwarp();
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
  if (threadIdx.x % 32 == 0) out[threadIdx.x / 32] = sum;
}
CASE(full_mask_behind_a_ragged_loop) {
  Buffer<int> out(2), in(90, 1);
  whole_warps<<<1, 64>>>(out, in, 90);
  finish();
  CHECK_THAT(out.host()[0] + out.host()[1] == 90);
}
