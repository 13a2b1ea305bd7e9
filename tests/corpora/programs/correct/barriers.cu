// Correct: barriers of the block in all their spellings.
#include "../case.h"

// bar.arrive of the producers, bar.sync of the consumers: a ring of two buffers, four named barriers.
__global__ void ring(int* out, const int* in, int tiles) {
  __shared__ int s[2][32];
  const int t = threadIdx.x % 32;
  if (threadIdx.x < 32) {
    for (int k = 0; k < tiles; ++k) {
      const int b = k % 2;
      if (k >= 2) asm volatile("bar.sync %0, 64;" ::"r"(3 + b) : "memory");
      s[b][t] = in[k * 32 + t];
      asm volatile("bar.arrive %0, 64;" ::"r"(1 + b) : "memory");
    }
  } else {
    int sum = 0;
    for (int k = 0; k < tiles; ++k) {
      const int b = k % 2;
      asm volatile("bar.sync %0, 64;" ::"r"(1 + b) : "memory");
      sum += s[b][31 - t];
      if (k + 2 < tiles) asm volatile("bar.arrive %0, 64;" ::"r"(3 + b) : "memory");
    }
    out[t] = sum;
  }
}
CASE(ring_of_named_barriers) {
  Buffer<int> out(32), in(7 * 32, 1);
  ring<<<1, 64>>>(out, in, 7);
  finish();
  CHECK_THAT(out.host()[0] == 7);
}

// barrier.cta: the same instruction under its newer name, aligned and not.
__global__ void newer_names(int* out, const int* in) {
  __shared__ int s[128];
  const int t = threadIdx.x, team = t / 64;
  s[t] = in[t];
  asm volatile("barrier.cta.sync.aligned %0, 64;" ::"r"(1 + team) : "memory");
  const int x = s[team * 64 + 63 - t % 64];
  if (t % 2) {
    asm volatile("barrier.cta.sync 5;" ::: "memory");
  } else {
    asm volatile("barrier.cta.sync 5;" ::: "memory");
  }
  s[t] = x;
  asm volatile("barrier.sync 0;" ::: "memory");
  out[t] = s[127 - t];
}
CASE(newer_barrier_names) {
  Buffer<int> out(128), in(128, 0, 1);
  newer_names<<<1, 128>>>(out, in);
  finish();
  CHECK_THAT(out.host()[0] == 64);
}

// The vote is a barrier as well.
__global__ void until_nothing_changes(int* a, int n) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = a[t];
  __syncthreads();
  int mine = s[t], changed;
  do {
    const int left = t > 0 ? s[t - 1] : mine;
    changed = __syncthreads_or(left > mine);  // all have read
    if (left > mine) s[t] = mine = left;
    __syncthreads();
  } while (changed);
  a[t] = mine;
}
CASE(loop_of_votes) {
  Buffer<int> a(64, 63, -1);
  until_nothing_changes<<<1, 64>>>(a, 64);
  finish();
  CHECK_THAT(a.host()[63] == 63);
}

// A flag of the block, reset behind a barrier of its own.
__global__ void changed_flag(int* out, const int* in) {
  __shared__ bool changed;
  __shared__ int s[96];
  const int t = threadIdx.x;
  s[t] = in[t];
  do {
    __syncthreads();
    if (t == 0) changed = false;
    __syncthreads();
    const int mine = s[t], right = t + 1 < 96 ? s[t + 1] : mine;
    __syncthreads();
    if (right > mine) {
      s[t] = right;
      changed = true;  // equal values
    }
    __syncthreads();
  } while (changed);
  out[t] = s[t];
}
CASE(flag_that_something_changed) {
  Buffer<int> out(96), in(96, 0, 1);
  changed_flag<<<1, 96>>>(out, in);
  finish();
  CHECK_THAT(out.host()[0] == 95);
}

// Double buffering of a tile with one barrier a step.
template <int N>
__global__ void one_barrier_a_step(float* out, const float* a, const float* b, int tiles) {
  __shared__ float s[2][2][N][N];
  const int x = threadIdx.x, y = threadIdx.y;
  float sum = 0;
  s[0][0][y][x] = a[y * N * tiles + x];
  s[0][1][y][x] = b[y * N + x];
  for (int k = 0; k < tiles; ++k) {
    __syncthreads();
    if (k + 1 < tiles) {
      s[(k + 1) & 1][0][y][x] = a[y * N * tiles + (k + 1) * N + x];
      s[(k + 1) & 1][1][y][x] = b[((k + 1) * N + y) * N + x];
    }
    for (int j = 0; j < N; ++j) sum += s[k & 1][0][y][j] * s[k & 1][1][j][x];
  }
  out[y * N + x] = sum;
}
CASE(two_dimensional_double_buffer) {
  Buffer<float> out(64), a(8 * 24, 1), b(8 * 24, 1);
  one_barrier_a_step<8><<<1, dim3(8, 8)>>>(out, a, b, 3);
  finish();
  CHECK_THAT(out.host()[0] == 24);
}

// In place, out of place in registers: read, barrier, write.
__global__ void rotate(int* a, int by) {
  const int t = threadIdx.x, n = blockDim.x;
  const int x = a[(t + by) % n];
  __syncthreads();
  a[t] = x;
}
CASE(rotation_in_place_within_a_block) {
  Buffer<int> a(200, 0, 1);
  rotate<<<1, 200>>>(a, 7);
  finish();
  CHECK_THAT(a.host()[0] == 7);
}

// Bitonic sort, the partner's word is written by one of the two.
__global__ void bitonic(int* a) {
  __shared__ int s[128];
  const int t = threadIdx.x;
  s[t] = a[t];
  for (int k = 2; k <= 128; k *= 2) {
    for (int j = k / 2; j > 0; j /= 2) {
      __syncthreads();
      const int p = t ^ j;
      if (p > t) {
        const int x = s[t], y = s[p];
        if ((x > y) == ((t & k) == 0)) s[t] = y, s[p] = x;
      }
    }
  }
  __syncthreads();
  a[t] = s[t];
}
CASE(bitonic_sort) {
  Buffer<int> a(128, 128, -1);
  bitonic<<<1, 128>>>(a);
  finish();
  CHECK_THAT(a.host()[0] == 1 && a.host()[127] == 128);
}

// One thread works while the others wait at the end of its branch.
__global__ void first_thread_scans(int* out, const int* in, int n) {
  extern __shared__ int s[];
  int* total = s + n;
  for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = in[i];
  __syncthreads();
  if (threadIdx.x == 0) {
    int sum = 0;
    for (int i = 0; i < n; ++i) {
      const int x = s[i];
      s[i] = sum;
      sum += x;
    }
    *total = sum;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = s[i] + *total;
}
CASE(one_thread_scans) {
  Buffer<int> out(77), in(77, 1);
  first_thread_scans<<<1, 48, 78 * sizeof(int)>>>(out, in, 77);
  finish();
  CHECK_THAT(out.host()[76] == 76 + 77);
}

// Two warps hand a word to and fro by volatile flags and fences of the block.
__global__ void ping_pong(int* out, int rounds) {
  __shared__ volatile int turn;
  __shared__ int ball;
  const int me = threadIdx.x / 32;
  if (threadIdx.x == 0) turn = 0, ball = 0;
  __syncthreads();
  if (threadIdx.x % 32 == 0) {
    for (int k = 0; k < rounds; ++k) {
      while (turn != me) {
      }
      __threadfence_block();
      ball += 1;
      __threadfence_block();
      turn = 1 - me;
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) *out = ball;
}
CASE(ping_pong_of_two_warps) {
  Buffer<int> out(1);
  ping_pong<<<1, 64>>>(out, 5);
  finish();
  CHECK_THAT(out.host()[0] == 10);
}

// Bytes, halves and words of one array, each thread its own.
struct Packed {
  unsigned char r, g, b, a;
  unsigned short depth, stencil;
};
__global__ void members(Packed* p) {
  const int i = threadIdx.x / 6, k = threadIdx.x % 6;
  if (k == 0) p[i].r = 1;
  if (k == 1) p[i].g = 2;
  if (k == 2) p[i].b = 3;
  if (k == 3) p[i].a = 4;
  if (k == 4) p[i].depth = 5;
  if (k == 5) p[i].stencil = 6;
}
CASE(members_of_a_struct_by_different_threads) {
  Buffer<unsigned char> p(32 * sizeof(Packed));
  members<<<1, 192>>>(reinterpret_cast<Packed*>((unsigned char*)p));
  finish();
  CHECK_THAT(p.host()[31 * 8 + 6] == 6 && p.host()[3] == 4);
}
