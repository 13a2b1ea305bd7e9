// Correct: atomics of all sorts, and locks made of them.
#include "../case.h"

// One thread of each block takes the lock; fences keep the work inside.
__global__ void lock_per_block(int* total, int* lock, const int* in) {
  if (threadIdx.x == 0) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    __threadfence();
    *total += in[blockIdx.x];
    __threadfence();
    atomicExch(lock, 0);
  }
}
CASE(spin_lock_per_block) {
  Buffer<int> total(1), lock(1), in(8, 1, 1);
  lock_per_block<<<8, 32>>>(total, lock, in);
  finish();
  CHECK_THAT(total.host()[0] == 36);
}

// The whole block works under the lock that its thread 0 holds.
__global__ void block_under_a_lock(int* totals, int* lock, const int* in) {
  if (threadIdx.x == 0) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    __threadfence();
  }
  __syncthreads();
  totals[threadIdx.x] += in[blockIdx.x * 32 + threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicExch(lock, 0);
  }
}
CASE(block_works_under_a_lock) {
  Buffer<int> totals(32), lock(1), in(6 * 32, 1);
  block_under_a_lock<<<6, 32>>>(totals, lock, in);
  finish();
  CHECK_THAT(totals.host()[31] == 6);
}

// Take a number, wait for it to come up.
__global__ void ticket_lock(int* total, int* next, volatile int* serving, const int* in) {
  if (threadIdx.x != 0) return;
  const int number = atomicAdd(next, 1);
  while (*serving != number) {
  }
  __threadfence();
  *total += in[blockIdx.x];
  __threadfence();
  *serving = number + 1;
}
CASE(ticket_lock) {
  Buffer<int> total(1), next(1), serving(1), in(8, 1, 1);
  ticket_lock<<<8, 32>>>(total, next, serving, in);
  finish();
  CHECK_THAT(total.host()[0] == 36);
}

// Different atomics on the same words.
__global__ void mixed(int* words, const int* in) {
  const int x = in[blockIdx.x * blockDim.x + threadIdx.x];
  atomicAdd(&words[0], x);
  atomicMax(&words[0], 5);
  atomicOr(&words[1], 1 << (x % 8));
  atomicXor(&words[1], 1 << 20);
  atomicExch(&words[2], 7);
  atomicCAS(&words[2], 0, 7);
}
CASE(mixed_atomics) {
  Buffer<int> words(3), in(128, 0, 1);
  mixed<<<4, 32>>>(words, in);
  finish();
  CHECK_THAT(words.host()[1] == 255 && words.host()[2] == 7);
}

// All who find something store the same value: a race on paper, harmless, and worth a note at most.
__global__ void any_negative(int* found, const int* in) {
  if (in[blockIdx.x * blockDim.x + threadIdx.x] < 0) *found = 1;
}
CASE(equal_values) {
  Buffer<int> found(1), in(128, -64, 1);
  any_negative<<<4, 32>>>(found, in);
  finish();
  CHECK_THAT(found.host()[0] == 1);
}

// The same in one chain, and side by side. Unoptimised code loads what it has just stored; the program does
// not.
__global__ void any_in_a_chain(int* found, const int* in) {
  __shared__ int any[4];
  if (threadIdx.x < 4) any[threadIdx.x] = 0;
  __syncthreads();
  if (in[threadIdx.x] < 0) any[0] = any[1] = 1;
  if (in[threadIdx.x] > 0) any[2] = 1, any[3] = 1;
  if (in[threadIdx.x] == 0) found[4] = found[5] = 1;
  __syncthreads();
  if (threadIdx.x < 4) found[threadIdx.x] = any[threadIdx.x];
}
CASE(equal_values_in_a_chain) {
  Buffer<int> found(6), in(128, -64, 1);
  any_in_a_chain<<<1, 128>>>(found, in);
  finish();
  for (int i = 0; i < 6; ++i) CHECK_THAT(found.host()[i] == 1);
}

// Private bins in shared memory, then one atomic for each bin.
__global__ void histogram(int* bins, const int* in, int n) {
  __shared__ int mine[16];
  if (threadIdx.x < 16) mine[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    atomicAdd(&mine[in[i] % 16], 1);
  }
  __syncthreads();
  if (threadIdx.x < 16 && mine[threadIdx.x] > 0) atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}
CASE(histogram_in_two_stages) {
  Buffer<int> bins(16), in(1000, 0, 1);
  histogram<<<3, 64>>>(bins, in, 1000);
  finish();
  CHECK_THAT(bins.host()[0] == 63 && bins.host()[15] == 62);
}

// An addition of doubles by compare and swap, as before there was an instruction for it.
__global__ void add_doubles(double* sum, const double* in) {
  auto* word = reinterpret_cast<unsigned long long*>(sum);
  unsigned long long old = *static_cast<volatile unsigned long long*>(word), assumed = 0;
  do {
    assumed = old;
    const double next = __longlong_as_double(assumed) + in[blockIdx.x * blockDim.x + threadIdx.x];
    old = atomicCAS(word, assumed, __double_as_longlong(next));
  } while (old != assumed);
}
CASE(compare_and_swap_loop) {
  Buffer<double> sum(1), in(64, 0.5);
  add_doubles<<<2, 32>>>(sum, in);
  finish();
  CHECK_THAT(sum.host()[0] == 32.0);
}

// Blocks take work until there is none; two barriers keep the number in shared memory apart from the next.
__global__ void work_queue(int* out, int* next, int items) {
  __shared__ int item;
  while (true) {
    if (threadIdx.x == 0) item = atomicAdd(next, 1);
    __syncthreads();
    const int mine = item;
    __syncthreads();
    if (mine >= items) break;
    out[mine * 32 + threadIdx.x] = mine;
  }
}
CASE(queue_of_work) {
  Buffer<int> out(10 * 32), next(1);
  work_queue<<<3, 32>>>(out, next, 10);
  finish();
  CHECK_THAT(out.host()[319] == 9);
}

// Atomics of block scope on what only one block touches.
__global__ void counters_of_blocks(int* counts, const int* in) {
  const int x = in[blockIdx.x * blockDim.x + threadIdx.x];
  if (x % 3 == 0) atomicAdd_block(&counts[blockIdx.x], 1);
}
CASE(atomics_of_the_block) {
  Buffer<int> counts(4), in(4 * 96, 0, 1);
  counters_of_blocks<<<4, 96>>>(counts, in);
  finish();
  CHECK_THAT(counts.host()[3] == 32);
}
