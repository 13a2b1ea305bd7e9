// Correct: blocks pass data to each other through fences, flags, locks and counters.
#include <cuda/atomic>

#include "../case.h"

// Store, fence, count; the one who counts last: fence, read. Thread 0 speaks for its block on both sides.
__global__ void sum_by_the_last_block(int* out, int* partial, unsigned* done, const int* in) {
  __shared__ bool last;
  const int sum = __reduce_add_sync(0xffffffffu, in[blockIdx.x * 32 + threadIdx.x]);
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = sum;
    __threadfence();
    last = atomicAdd(done, 1) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (last) {
    const int x = threadIdx.x < gridDim.x ? partial[threadIdx.x] : 0;
    const int total = __reduce_add_sync(0xffffffffu, x);
    if (threadIdx.x == 0) *out = total;
  }
}
CASE(last_block_done) {
  Buffer<int> out(1), partial(8), in(256, 1);
  Buffer<unsigned> done(1);
  sum_by_the_last_block<<<8, 32>>>(out, partial, done, in);
  finish();
  CHECK_THAT(out.host()[0] == 256);
}

// In the manner of the CUDA C++ Programming Guide: volatile partial sums and one fence.
__global__ void sum_with_volatile(int* out, volatile int* partial, unsigned* count, const int* in) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    int sum = 0;
    for (int j = 0; j < 32; ++j) sum += in[blockIdx.x * 32 + j];
    partial[blockIdx.x] = sum;
    __threadfence();
    last = atomicInc(count, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    int total = 0;
    for (unsigned b = 0; b < gridDim.x; ++b) total += partial[b];
    *out = total;
    atomicExch(count, 0u);
  }
}
CASE(last_block_done_with_volatile) {
  Buffer<int> out(1), partial(8), in(256, 1);
  Buffer<unsigned> count(1);
  sum_with_volatile<<<8, 32>>>(out, partial, count, in);
  finish();
  CHECK_THAT(out.host()[0] == 256 && count.host()[0] == 0);
}

// Sums and prefixes are published behind a fence, in words of their own; blocks number themselves as they
// start.
__global__ void look_back_scan(int* out, int* sums, int* prefixes, volatile int* state, int* ticket,
                               const int* in) {
  if (threadIdx.x != 0) return;
  const int b = atomicAdd(ticket, 1);
  const int sum = in[b];
  sums[b] = sum;
  __threadfence();
  state[b] = 1;  // the sum is there
  int before = 0;
  for (int k = b - 1; k >= 0; --k) {
    int seen = 0;
    while ((seen = state[k]) == 0) {
    }
    __threadfence();
    before += seen == 2 ? prefixes[k] : sums[k];
    if (seen == 2) break;
  }
  prefixes[b] = before + sum;
  __threadfence();
  state[b] = 2;  // so is the prefix
  out[b] = before + sum;
}
CASE(decoupled_look_back) {
  Buffer<int> out(16), sums(16), prefixes(16), state(16), ticket(1), in(16, 1);
  look_back_scan<<<16, 32>>>(out, sums, prefixes, state, ticket, in);
  finish();
  CHECK_THAT(out.host()[15] == 16);
}

// State and value travel in one 64-bit word, so no fence is needed.
__global__ void look_back_in_one_word(int* out, volatile unsigned long long* words, int* ticket,
                                      const int* in) {
  if (threadIdx.x != 0) return;
  const int b = atomicAdd(ticket, 1);
  unsigned before = 0;
  if (b > 0) {
    unsigned long long word = 0;
    while ((word = words[b - 1]) >> 32 == 0) {
    }
    before = static_cast<unsigned>(word);
  }
  words[b] = (1ull << 32) | (before + in[b]);
  out[b] = before + in[b];
}
CASE(look_back_in_one_word) {
  Buffer<int> out(16), ticket(1), in(16, 1);
  Buffer<unsigned long long> words(16);
  look_back_in_one_word<<<16, 32>>>(out, words, ticket, in);
  finish();
  CHECK_THAT(out.host()[15] == 16);
}

// Release and acquire on the flag order the value.
__global__ void release_and_acquire(int* out, int* value, int* flag) {
  if (threadIdx.x != 0) return;
  cuda::atomic_ref<int, cuda::thread_scope_device> ready(*flag);
  if (blockIdx.x == 0) {
    *value = 42;
    ready.store(1, cuda::memory_order_release);
  } else {
    while (ready.load(cuda::memory_order_acquire) == 0) {
    }
    *out = *value;
  }
}
CASE(message_by_release_and_acquire) {
  Buffer<int> out(1), value(1), flag(1);
  release_and_acquire<<<2, 32>>>(out, value, flag);
  finish();
  CHECK_THAT(out.host()[0] == 42);
}

// Each block passes the counter on with one acq_rel addition; the last to come reads what all have written.
__global__ void acquire_release_counter(int* out, int* values, int* count) {
  if (threadIdx.x != 0) return;
  values[blockIdx.x] = blockIdx.x;
  cuda::atomic_ref<int, cuda::thread_scope_device> arrived(*count);
  if (arrived.fetch_add(1, cuda::memory_order_acq_rel) == static_cast<int>(gridDim.x) - 1) {
    int sum = 0;
    for (unsigned b = 0; b < gridDim.x; ++b) sum += values[b];
    *out = sum;
  }
}
CASE(counter_with_acquire_and_release) {
  Buffer<int> out(1), values(6), count(1);
  acquire_release_counter<<<6, 32>>>(out, values, count);
  finish();
  CHECK_THAT(out.host()[0] == 15);
}

// A volatile flag, with a fence on both sides.
__global__ void volatile_flag(int* out, int* value, volatile int* flag) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    *value = 42;
    __threadfence();
    *flag = 1;
  } else {
    while (*flag == 0) {
    }
    __threadfence();
    *out = *value;
  }
}
CASE(volatile_flag_with_fences) {
  Buffer<int> out(1), value(1), flag(1);
  volatile_flag<<<2, 32>>>(out, value, flag);
  finish();
  CHECK_THAT(out.host()[0] == 42);
}

// A flag set by atomicExch() and polled by atomicCAS().
__global__ void exchanged_flag(int* out, int* value, int* flag) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    *value = 42;
    __threadfence();
    atomicExch(flag, 1);
  } else {
    while (atomicCAS(flag, 1, 2) != 1) {
    }
    __threadfence();
    *out = *value;
  }
}
CASE(exchanged_flag) {
  Buffer<int> out(1), value(1), flag(1);
  exchanged_flag<<<2, 32>>>(out, value, flag);
  finish();
  CHECK_THAT(out.host()[0] == 42);
}

// All threads write, barrier, one thread fences and flags; the other block the other way round. Fences are
// cumulative.
__global__ void whole_block_message(int* out, int* values, volatile int* flag) {
  if (blockIdx.x == 0) {
    values[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      *flag = 1;
    }
  } else {
    if (threadIdx.x == 0) {
      while (*flag == 0) {
      }
      __threadfence();
    }
    __syncthreads();
    out[threadIdx.x] = values[63 - threadIdx.x];
  }
}
CASE(message_of_a_whole_block) {
  Buffer<int> out(64), values(64), flag(1);
  whole_block_message<<<2, 64>>>(out, values, flag);
  finish();
  CHECK_THAT(out.host()[0] == 63);
}

// A chain: block 1 learns from block 0, block 2 from block 1, and reads what block 0 wrote.
__global__ void chain(int* out, int* value, volatile int* flags) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    *value = 42;
  } else {
    while (flags[blockIdx.x - 1] == 0) {
    }
    __threadfence();
    if (blockIdx.x == 3) *out = *value;
  }
  __threadfence();
  flags[blockIdx.x] = 1;
}
CASE(message_through_a_chain) {
  Buffer<int> out(1), value(1), flags(4);
  chain<<<4, 32>>>(out, value, flags);
  finish();
  CHECK_THAT(out.host()[0] == 42);
}

// A barrier of the whole grid by hand: arrive behind a fence, wait, fence.
__global__ void hand_made_grid_barrier(int* out, int* squares, int* arrived, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  squares[i] = i * i;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(arrived, 1);
    while (*static_cast<volatile int*>(arrived) < static_cast<int>(gridDim.x)) {
    }
    __threadfence();
  }
  __syncthreads();
  out[i] = squares[n - 1 - i];
}
CASE(grid_barrier_by_hand) {
  Buffer<int> out(256), squares(256), arrived(1);
  hand_made_grid_barrier<<<4, 64>>>(out, squares, arrived, 256);
  finish();
  CHECK_THAT(out.host()[0] == 255 * 255);
}
