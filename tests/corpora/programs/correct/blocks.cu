// Correct: threads of one block exchange data.
#include "../case.h"

// Two halves take turns; one barrier a step, after the read, is enough.
__global__ void double_buffer(int* out, const int* in, int tiles) {
  __shared__ int tile[2][128];
  const int t = threadIdx.x;
  int sum = 0;
  tile[0][t] = in[t];
  __syncthreads();
  for (int k = 0; k < tiles; ++k) {
    if (k + 1 < tiles) tile[(k + 1) % 2][t] = in[(k + 1) * 128 + t];
    sum += tile[k % 2][127 - t];
    __syncthreads();
  }
  out[t] = sum;
}
CASE(double_buffering) {
  Buffer<int> out(128), in(4 * 128, 0, 1);
  double_buffer<<<1, 128>>>(out, in, 4);
  finish();
  CHECK_THAT(out.host()[0] == 127 + 255 + 383 + 511);
}

// All threads of the block see the same n.
__global__ void mirror_if_long(int* out, const int* in, int n) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  if (n > 10) {
    s[t] = in[t];
    __syncthreads();
    out[t] = s[63 - t];
  }
}
CASE(barrier_in_a_uniform_branch) {
  Buffer<int> out(64), in(64, 0, 1);
  mirror_if_long<<<1, 64>>>(out, in, 64);
  finish();
  CHECK_THAT(out.host()[0] == 63);
}

// The trip count differs between blocks, not within one.
__global__ void block_rounds(int* out) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = t;
  __syncthreads();
  for (unsigned k = 0; k < blockIdx.x; ++k) {
    const int next = s[(t + 1) % 64];
    __syncthreads();
    s[t] = next;
    __syncthreads();
  }
  out[blockIdx.x * 64 + t] = s[t];
}
CASE(rounds_by_block) {
  Buffer<int> out(4 * 64);
  block_rounds<<<4, 64>>>(out);
  finish();
  CHECK_THAT(out.host()[3 * 64 + 63] == 2);
}

// Threads beyond the end leave; nobody waits for them afterwards.
__global__ void scale(int* out, const int* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = 2 * in[i];
}
CASE(early_return_without_barrier) {
  Buffer<int> out(100), in(100, 0, 1);
  scale<<<1, 128>>>(out, in, 100);
  finish();
  CHECK_THAT(out.host()[99] == 198);
}

// Whole blocks leave before the barrier, never a part of one.
__global__ void mirror_block(int* out, const int* in, int blocks) {
  __shared__ int s[64];
  if (static_cast<int>(blockIdx.x) >= blocks) return;
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 64 + t];
  __syncthreads();
  out[blockIdx.x * 64 + t] = s[63 - t];
}
CASE(whole_blocks_leave) {
  Buffer<int> out(2 * 64), in(2 * 64, 0, 1);
  mirror_block<<<5, 64>>>(out, in, 2);
  finish();
  CHECK_THAT(out.host()[64] == 127);
}

// The last round is ragged; no barrier stands in the loop.
__global__ void sum_grid_stride(int* out, const int* in, int n) {
  int sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  atomicAdd(out, sum);
}
CASE(ragged_grid_stride) {
  Buffer<int> out(1), in(1003, 1);
  sum_grid_stride<<<3, 96>>>(out, in, 1003);
  finish();
  CHECK_THAT(out.host()[0] == 1003);
}

// These barriers also bring back a sum, an or and an and of all threads.
__global__ void votes(int* out, const int* in) {
  const int x = in[threadIdx.x];
  const int even = __syncthreads_count(x % 2 == 0);
  const int some = __syncthreads_or(x == 77);
  const int all = __syncthreads_and(x >= 0);
  if (threadIdx.x == 0) {
    out[0] = even;
    out[1] = some != 0;
    out[2] = all != 0;
  }
}
CASE(barriers_that_count) {
  Buffer<int> out(3), in(128, 0, 1);
  votes<<<1, 128>>>(out, in);
  finish();
  CHECK_THAT((out.host() == std::vector<int>{64, 1, 1}));
}

// Each round reads one buffer and writes the other.
__global__ void scan_ping_pong(int* out, const int* in) {
  __shared__ int s[2][128];
  const int t = threadIdx.x;
  int now = 0;
  s[0][t] = in[t];
  __syncthreads();
  for (int d = 1; d < 128; d *= 2) {
    s[1 - now][t] = t >= d ? s[now][t] + s[now][t - d] : s[now][t];
    now = 1 - now;
    __syncthreads();
  }
  out[t] = s[now][t];
}
CASE(scan_with_two_buffers) {
  Buffer<int> out(128), in(128, 1);
  scan_ping_pong<<<1, 128>>>(out, in);
  finish();
  CHECK_THAT(out.host()[127] == 128);
}

// One buffer: a barrier between reading and writing, another between writing and reading.
__global__ void scan_in_place(int* out, const int* in) {
  __shared__ int s[128];
  const int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  for (int d = 1; d < 128; d *= 2) {
    const int left = t >= d ? s[t - d] : 0;
    __syncthreads();
    s[t] += left;
    __syncthreads();
  }
  out[t] = s[t];
}
CASE(scan_in_one_buffer) {
  Buffer<int> out(128), in(128, 1);
  scan_in_place<<<1, 128>>>(out, in);
  finish();
  CHECK_THAT(out.host()[127] == 128);
}

// The last warp goes on alone: __syncwarp() between reading and writing, and after writing.
__global__ void reduce(int* out, const int* in) {
  __shared__ int s[256];
  const int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  for (int h = 128; h >= 32; h /= 2) {
    if (t < h) s[t] += s[t + h];
    __syncthreads();
  }
  if (t < 32) {
    for (int h = 16; h > 0; h /= 2) {
      const int sum = s[t] + s[t + h];
      __syncwarp();
      s[t] = sum;
      __syncwarp();
    }
  }
  if (t == 0) *out = s[0];
}
CASE(last_warp_of_a_reduction) {
  Buffer<int> out(1), in(256, 1);
  reduce<<<1, 256>>>(out, in);
  finish();
  CHECK_THAT(out.host()[0] == 256);
}

// Each warp has a row of its own and needs to wait for itself only.
__global__ void rows_of_warps(int* out, const int* in) {
  __shared__ int s[4][32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int k = 0; k <= warp; ++k) {
    s[warp][lane] = in[threadIdx.x] + k;
    __syncwarp();
    out[threadIdx.x] = s[warp][31 - lane];
    __syncwarp();
  }
}
CASE(slices_of_warps) {
  Buffer<int> out(128), in(128, 0, 1);
  rows_of_warps<<<1, 128>>>(out, in);
  finish();
  CHECK_THAT(out.host()[32] == 63 + 1);
}

// Warps 0 and 1 fill a buffer, warps 2 and 3 empty it: barrier 1 says full, barrier 2 says empty.
__global__ void producer_and_consumer(int* out, const int* in, int rounds) {
  __shared__ int s[64];
  const int t = threadIdx.x % 64;
  if (threadIdx.x < 64) {
    for (int k = 0; k < rounds; ++k) {
      if (k > 0) asm volatile("bar.sync 2, 128;" ::: "memory");
      s[t] = in[k * 64 + t];
      asm volatile("bar.arrive 1, 128;" ::: "memory");
    }
  } else {
    int sum = 0;
    for (int k = 0; k < rounds; ++k) {
      asm volatile("bar.sync 1, 128;" ::: "memory");
      sum += s[63 - t];
      if (k + 1 < rounds) asm volatile("bar.arrive 2, 128;" ::: "memory");
    }
    out[t] = sum;
  }
}
CASE(named_barriers) {
  Buffer<int> out(64), in(5 * 64, 1);
  producer_and_consumer<<<1, 128>>>(out, in, 5);
  finish();
  CHECK_THAT(out.host()[17] == 5);
}

// Two teams of two warps, each with a barrier and an array of its own.
__global__ void two_teams(int* out, const int* in) {
  __shared__ int s[2][64];
  const int team = threadIdx.x / 64, t = threadIdx.x % 64;
  for (int k = 0; k < 2 + team; ++k) {
    s[team][t] = in[t] + k;
    asm volatile("bar.sync %0, 64;" ::"r"(team + 1) : "memory");
    out[threadIdx.x] = s[team][63 - t];
    asm volatile("bar.sync %0, 64;" ::"r"(team + 1) : "memory");
  }
}
CASE(a_barrier_for_each_team) {
  Buffer<int> out(128), in(64, 0, 1);
  two_teams<<<1, 128>>>(out, in);
  finish();
  CHECK_THAT(out.host()[0] == 64 && out.host()[64] == 65);
}

// Neighbouring threads write neighbouring bytes of one word: no byte has two writers.
__global__ void bytes(unsigned char* out, const int* in) {
  __shared__ unsigned char s[64];
  const int t = threadIdx.x;
  s[t] = static_cast<unsigned char>(in[t]);
  out[t] = s[t];
}
CASE(neighbouring_bytes) {
  Buffer<unsigned char> out(64);
  Buffer<int> in(64, 0, 1);
  bytes<<<1, 64>>>(out, in);
  finish();
  CHECK_THAT(out.host()[63] == 63);
}

__device__ __noinline__ void wait_for_all() { __syncthreads(); }

// The barrier stands in a function; all threads call it from the same places.
__global__ void barrier_in_function(int* out, const int* in) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = in[t];
  wait_for_all();
  const int other = s[63 - t];
  wait_for_all();
  s[t] = other;
  out[t] = s[t];
}
CASE(barrier_in_a_function) {
  Buffer<int> out(64), in(64, 0, 1);
  barrier_in_function<<<1, 64>>>(out, in);
  finish();
  CHECK_THAT(out.host()[0] == 63);
}

// The same bytes serve as ints first and as floats behind a barrier.
__global__ void reused(float* out, const int* in) {
  __shared__ union {
    int whole[64];
    float real[64];
  } s;
  const int t = threadIdx.x;
  s.whole[t] = in[t];
  __syncthreads();
  const float x = 0.5f * s.whole[63 - t];
  __syncthreads();
  s.real[t] = x;
  __syncthreads();
  out[t] = s.real[63 - t];
}
CASE(shared_memory_reused) {
  Buffer<float> out(64);
  Buffer<int> in(64, 0, 1);
  reused<<<1, 64>>>(out, in);
  finish();
  CHECK_THAT(out.host()[63] == 31.5f);
}

// A flag between two warps of a block: volatile, with a fence of the block on both sides.
__global__ void message_within_block(int* out) {
  __shared__ int value;
  __shared__ volatile int flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    value = 42;
    __threadfence_block();
    flag = 1;
  } else if (threadIdx.x == 32) {
    while (flag == 0) {
    }
    __threadfence_block();
    *out = value;
  }
}
CASE(flag_in_shared_memory) {
  Buffer<int> out(1);
  message_within_block<<<1, 64>>>(out);
  finish();
  CHECK_THAT(out.host()[0] == 42);
}

// Every thread leaves the loop in the same round, because all of them hear the same vote.
__global__ void search(int* out, const int* in, int n) {
  __shared__ int window[32];
  const int t = threadIdx.x;
  int found = -1;
  for (int base = 0; base < n; base += 32) {
    window[t] = in[base + t];
    __syncthreads();
    for (int k = 0; k < 32; ++k) {
      if (window[k] == 2 * t) found = base + k;
    }
    if (__syncthreads_and(found >= 0)) break;
  }
  out[t] = found;
}
CASE(leaving_by_vote) {
  Buffer<int> out(32), in(192, 0, 1);
  search<<<1, 32>>>(out, in, 192);
  finish();
  CHECK_THAT(out.host()[31] == 62);
}
