// Races on global memory, between blocks and within one.
#include "../case.h"

// expect: race global
// wrong: threads of all blocks read the same old count and write it plus one.
// cure:  atomicAdd(&bins[...], 1).
__global__ void histogram(int* bins, const int* in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  ++bins[in[i] % 16];  // <- race
}
CASE(histogram_without_atomics) {
  Buffer<int> bins(16), in(256, 0, 5);
  histogram<<<4, 64>>>(bins, in);
  finish();
}

// expect: race global
// wrong: one thread of each block adds to the same sum; additions get lost.
// cure:  atomicAdd(sum, in[blockIdx.x]).
__global__ void sum_of_blocks(int* sum, const int* in) {
  if (threadIdx.x == 0) *sum += in[blockIdx.x];  // <- race
}
CASE(sum_from_many_blocks) {
  Buffer<int> sum(1), in(8, 1, 1);
  sum_of_blocks<<<8, 32>>>(sum, in);
  finish();
}

// expect: race global
// wrong: the barrier orders one block; the neighbour at its edge belongs to the next.
// cure:  write to a second buffer.
__global__ void blur_in_place(int* a) {
  const int i = 1 + blockIdx.x * blockDim.x + threadIdx.x;
  const int sum = a[i - 1] + a[i] + a[i + 1];  // <- race
  __syncthreads();
  a[i] = sum / 3;  // <- race
}
CASE(stencil_in_place) {
  Buffer<int> a(4 * 64 + 2, 0, 3);
  blur_in_place<<<4, 64>>>(a);
  finish();
}

// expect: race global
// wrong: the counter may be seen before the partial sum that it announces.
// cure:  __threadfence() between the store and the atomic, and after the atomic.
__global__ void sum_by_the_last_block(int* out, int* partial, unsigned* done, const int* in) {
  if (threadIdx.x != 0) return;
  int sum = 0;
  for (int j = 0; j < 32; ++j) sum += in[blockIdx.x * 32 + j];
  partial[blockIdx.x] = sum;  // <- race
  if (atomicAdd(done, 1) == gridDim.x - 1) {
    int total = 0;
    for (unsigned b = 0; b < gridDim.x; ++b) total += partial[b];  // <- race
    *out = total;
  }
}
CASE(last_block_done_without_fence) {
  Buffer<int> out(1), partial(8), in(256, 0, 1);
  Buffer<unsigned> done(1);
  sum_by_the_last_block<<<8, 32>>>(out, partial, done, in);
  finish();
}

// expect: race global
// wrong: the flag is volatile, the value is not, and nothing orders the two.
// cure:  __threadfence() before the flag is set and after it has been seen.
__global__ void message_by_volatile(int* out, int* value, volatile int* flag) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    *value = 42;  // <- race
    *flag = 1;
  } else {
    while (*flag == 0) {
    }
    *out = *value;  // <- race
  }
}
CASE(volatile_flag_without_fence) {
  Buffer<int> out(1), value(1), flag(1);
  message_by_volatile<<<2, 32>>>(out, value, flag);
  finish();
}

// expect: race global
// wrong: atomics are relaxed: they order nothing but their own variable.
// cure:  __threadfence() on both sides, or cuda::atomic_ref with release and acquire.
__global__ void message_by_atomic(int* out, int* value, int* flag) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    *value = 42;  // <- race
    atomicExch(flag, 1);
  } else {
    while (atomicAdd(flag, 0) == 0) {
    }
    *out = *value;  // <- race
  }
}
CASE(atomic_flag_without_fence) {
  Buffer<int> out(1), value(1), flag(1);
  message_by_atomic<<<2, 32>>>(out, value, flag);
  finish();
}

// expect: race global
// wrong: the flag is an ordinary variable: read and written at once, fences or not.
// cure:  make the flag volatile or atomic.
__global__ void message_by_plain_flag(int* out, int* value, int* flag) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    *value = 42;  // <- race
    __threadfence();
    *flag = 1;              // <- race
  } else if (*flag == 1) {  // <- race
    __threadfence();
    *out = *value;  // <- race
  }
}
CASE(plain_flag) {
  Buffer<int> out(1), value(1), flag(1);
  message_by_plain_flag<<<2, 32>>>(out, value, flag);
  finish();
}

// expect: race global
// wrong: the fence reaches the threads of its own block only; the reader is in another.
// cure:  __threadfence().
__global__ void message_with_a_block_fence(int* out, int* value, volatile int* flag) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    *value = 42;  // <- race
    __threadfence_block();
    *flag = 1;
  } else {
    while (*flag == 0) {
    }
    __threadfence_block();
    *out = *value;  // <- race
  }
}
CASE(fence_of_the_block_only) {
  Buffer<int> out(1), value(1), flag(1);
  message_with_a_block_fence<<<2, 32>>>(out, value, flag);
  finish();
}

// expect: race global
// wrong: the lock is taken and released, but the total's accesses may leave the critical section.
// cure:  __threadfence() after taking the lock and before releasing it.
__global__ void sum_under_a_lock(int* total, int* lock, const int* in) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  *total += in[blockIdx.x];  // <- race
  atomicExch(lock, 0);
}
CASE(lock_without_fences) {
  Buffer<int> total(1), lock(1), in(8, 1, 1);
  sum_under_a_lock<<<8, 32>>>(total, lock, in);
  finish();
}

// expect: race global
// wrong: a block writes its tile over elements that another block has not read yet.
// cure:  write to a second matrix, or let one block swap a pair of tiles.
__global__ void transpose_in_place(int* m, int n) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  const int value = m[row * n + column];  // <- race
  __syncthreads();
  m[column * n + row] = value;  // <- race
}
CASE(transpose_in_place) {
  Buffer<int> m(32 * 32, 0, 1);
  transpose_in_place<<<dim3(2, 2), dim3(16, 16)>>>(m, 32);
  finish();
}

// expect: race global
// wrong: all blocks write the same element, each its own value; which one stays is luck.
// cure:  one block writes, or each its own element.
__global__ void number_of_the_block(int* out) {
  if (threadIdx.x == 0) *out = blockIdx.x;  // <- race
}
CASE(two_values_for_one_element) {
  Buffer<int> out(1);
  number_of_the_block<<<4, 32>>>(out);
  finish();
}

// expect: race global
// wrong: the index lacks the full block offset: windows of neighbouring blocks overlap by 32 elements.
// cure:  blockIdx.x * blockDim.x.
__global__ void fill_windows(int* out) {
  out[blockIdx.x * 96 + threadIdx.x] = blockIdx.x * 1000 + threadIdx.x;  // <- race
}
CASE(overlapping_windows) {
  Buffer<int> out(96 * 4 + 32);
  fill_windows<<<4, 128>>>(out);
  finish();
}

// expect: race global
// wrong: the second phase reads what other blocks write in the first; __syncthreads() is no grid barrier.
// cure:  two kernels, or a cooperative launch with grid.sync().
__global__ void two_phases(int* out, int* squares, const int* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  squares[i] = in[i] * in[i];  // <- race
  __syncthreads();
  out[i] = squares[n - 1 - i];  // <- race
}
CASE(two_phases_without_grid_barrier) {
  Buffer<int> out(256), squares(256), in(256, 0, 1);
  two_phases<<<4, 64>>>(out, squares, in, 256);
  finish();
}

// expect: race global
// wrong: the state may be seen before the prefix that it announces.
// cure:  __threadfence() before the state is set and after it has been seen.
__global__ void chained_scan(int* prefix, volatile int* state, const int* in) {
  if (threadIdx.x != 0) return;
  const int b = blockIdx.x;
  int before = 0;
  if (b > 0) {
    while (state[b - 1] == 0) {
    }
    before = prefix[b - 1];  // <- race
  }
  prefix[b] = before + in[b];  // <- race
  state[b] = 1;
}
CASE(look_back_without_fence) {
  Buffer<int> prefix(6), state(6), in(6, 1, 1);
  chained_scan<<<6, 32>>>(prefix, state, in);
  finish();
}

// expect: race global
// wrong: an atomic of block scope is atomic for one block; other blocks add to the same sum.
// cure:  atomicAdd().
__global__ void sum_with_block_atomics(int* sum, const int* in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd_block(sum, in[i]);  // <- race
}
CASE(atomic_of_block_scope) {
  Buffer<int> sum(1), in(128, 0, 1);
  sum_with_block_atomics<<<4, 32>>>(sum, in);
  finish();
}

// expect: race global
// wrong: other blocks may have added before thread 0 of block 0 sets the sum to zero.
// cure:  cudaMemset() or a kernel of its own before this one.
__global__ void zero_and_sum(int* sum, const int* in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0) *sum = 0;   // <- race
  atomicAdd(sum, in[i]);  // <- race
}
CASE(set_to_zero_by_one_block) {
  Buffer<int> sum(1), in(128, 0, 1);
  zero_and_sum<<<4, 32>>>(sum, in);
  finish();
}

// expect: race global
// wrong: warps of one block exchange data through global memory with no barrier between.
// cure:  __syncthreads() between the two lines.
__global__ void mirror_in_global(int* out, int* scratch, const int* in) {
  scratch[threadIdx.x] = in[threadIdx.x];         // <- race
  out[threadIdx.x] = scratch[127 - threadIdx.x];  // <- race
}
CASE(no_barrier_within_the_block) {
  Buffer<int> out(128), scratch(128), in(128, 0, 1);
  mirror_in_global<<<1, 128>>>(out, scratch, in);
  finish();
}

// expect: race global
// wrong: 32 threads change different bits of the same word by read, or, write.
// cure:  atomicOr(), or one lane stores the warp's __ballot_sync().
__global__ void set_bits(unsigned* bits, const int* in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (in[i] % 3 == 0) bits[i / 32] |= 1u << (i % 32);  // <- race
}
CASE(bits_of_one_word) {
  Buffer<unsigned> bits(4);
  Buffer<int> in(128, 0, 1);
  set_bits<<<2, 64>>>(bits, in);
  finish();
}

// expect: race global
// wrong: a plain read beside atomics of other threads sees any value, and the compiler may reuse it.
// cure:  use what atomicAdd() returns, or read with a volatile or atomic access.
__global__ void take_first_ten(int* out, int* taken, const int* in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (*taken < 10) {                        // <- race
    const int place = atomicAdd(taken, 1);  // <- race
    if (place < 10) out[place] = in[i];
  }
}
CASE(plain_read_beside_atomics) {
  Buffer<int> out(10), taken(1), in(128, 0, 1);
  take_first_ten<<<4, 32>>>(out, taken, in);
  finish();
}

// expect: race global
// wrong: each block adds to the sum by an atomic and then counts itself; nothing orders the two for the
//        last block, whose own atomic was the last on the word
// cure:  __threadfence() between the two atomics, and behind the counter
__global__ void root_of_all(float* sum, unsigned* done, const float* in) {
  float* const place = sum + threadIdx.x % 4;
  atomicAdd(place, in[blockIdx.x * blockDim.x + threadIdx.x]);  // <- race
  __shared__ bool last;
  __syncthreads();
  if (threadIdx.x == 0) last = atomicAdd(done, 1u) == gridDim.x - 1;
  __syncthreads();
  if (last && threadIdx.x < 4) *place = sqrtf(*place);  // <- race
}
CASE(last_block_after_atomics_without_fence) {
  Buffer<float> sum(4), in(512, 1.0f);
  Buffer<unsigned> done(1);
  root_of_all<<<8, 64>>>(sum, done, in);
  finish();
}
