// Kernels that never end.
#include <cooperative_groups.h>

#include <cuda/barrier>

#include "../case.h"

#pragma nv_diag_suppress static_var_with_dynamic_init  // a barrier in shared memory: init() sets it up

// expect: hang
// wrong: nobody sets the flag.
// cure:  the flag's writer is missing.
__global__ void wait_for_flag(int* out, volatile int* flag) {
  while (*flag == 0) {  // <- hang
  }
  *out = 1;
}
CASE(flag_never_set) {
  Buffer<int> out(1), flag(1);
  wait_for_flag<<<1, 1>>>(out, flag);
  finish();
}

// expect: hang
// wrong: each block waits for the next; the last one waits for a block that was not launched.
// cure:  the last block must not wait.
__global__ void chain(int* out, volatile int* ready) {
  if (threadIdx.x != 0) return;
  while (ready[blockIdx.x + 1] == 0) {  // <- hang
  }
  ready[blockIdx.x] = 1;
  out[blockIdx.x] = 1;
}
CASE(block_that_was_not_launched) {
  Buffer<int> out(4), ready(5);
  chain<<<4, 32>>>(out, ready);
  finish();
}

// expect: hang
// wrong: i goes 0, 2, 4, ... and never equals 7. (Unsigned: a signed one may not overflow, so the compiler
// would end the
//        loop where it likes.)
// cure:  i < n.
__global__ void every_other(volatile unsigned* out, unsigned n) {
  for (unsigned i = 0; i != n; i += 2) {  // <- hang
    *out = i;                             // <- hang
  }
}
CASE(loop_steps_over_its_end) {
  Buffer<unsigned> out(1);
  every_other<<<1, 1>>>(out, 7);
  finish();
}

// expect: hang
// wrong: a block that finds nothing to add leaves with the lock held.
// cure:  release the lock on every way out.
__global__ void add_positive(int* sum, int* lock, const int* in) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) {  // <- hang
  }
  __threadfence();
  if (in[blockIdx.x] <= 0) return;
  *sum += in[blockIdx.x];
  __threadfence();
  atomicExch(lock, 0);
}
CASE(lock_not_released) {
  Buffer<int> sum(1), lock(1), in(4, -8, 1);
  add_positive<<<4, 32>>>(sum, lock, in);
  finish();
}

// expect: hang
// wrong: set is loaded when it is launched, and loading waits for wait_for_flag, which waits for set.
// cure:  cudaFuncGetAttributes() of set before the first launch, or CUDA_MODULE_LOADING=EAGER.
__global__ void set_flag(volatile int* flag) { *flag = 1; }
CASE(kernel_loaded_while_another_waits_for_it) {
  cudaStream_t first, second;
  cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
  Buffer<int> out(1), flag(1);
  wait_for_flag<<<1, 1, 0, first>>>(out, flag);
  set_flag<<<1, 1, 0, second>>>(flag);  // <- hang
  finish();
}

// expect: hang|barrier
// wrong: warp 0 waits at barrier 1 and warp 1 at barrier 2, each for the other.
// cure:  the same order in both.
__global__ void crossed(int* out) {
  if (threadIdx.x < 32) {
    asm volatile("bar.sync 1, 64;" ::: "memory");  // <- hang
    asm volatile("bar.sync 2, 64;" ::: "memory");
  } else {
    asm volatile("bar.sync 2, 64;" ::: "memory");  // <- hang
    asm volatile("bar.sync 1, 64;" ::: "memory");
  }
  out[threadIdx.x] = 1;
}
CASE(crossed_barriers) {
  Buffer<int> out(64);
  crossed<<<1, 64>>>(out);
  finish();
}

// expect: hang|barrier
// wrong: the barrier is for 65 arrivals; the block has 64 threads.
// cure:  init(&barrier, blockDim.x).
__global__ void one_arrival_short(int* out) {
  using Barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ Barrier barrier;
  if (threadIdx.x == 0) init(&barrier, blockDim.x + 1);
  __syncthreads();
  barrier.arrive_and_wait();  // <- hang
  out[threadIdx.x] = 1;
}
CASE(barrier_object_waits_for_one_more) {
  Buffer<int> out(64);
  one_arrival_short<<<1, 64>>>(out);
  finish();
}

// expect: hang|barrier
// wrong: the last block leaves before the barrier of the whole grid.
// cure:  every block of the grid calls sync().
__global__ void two_phases(int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (static_cast<int>(blockIdx.x) == n) return;
  out[i] = i;
  cooperative_groups::this_grid().sync();  // <- hang
  out[i] += 1;
}
CASE(block_that_skips_the_grid_barrier) {
  Buffer<int> out(128);
  int* data = out;
  int n = 3;
  void* arguments[] = {&data, &n};
  cudaLaunchCooperativeKernel((const void*)two_phases, dim3(4), dim3(32), arguments, 0, nullptr);
  finish();
}

// expect: hang
// wrong: the first half of the warp waits for a flag that the second half sets behind the same __syncwarp().
// cure:  set the flag before the others start to wait, or leave the lanes unordered.
__global__ void wait_for_the_other_half(int* out, volatile int* flag) {
  if (threadIdx.x < 16) {
    while (*flag == 0) {  // <- hang
    }
  }
  __syncwarp();  // <- hang
  if (threadIdx.x >= 16) *flag = 1;
  out[threadIdx.x] = 1;
}
CASE(flag_set_behind_a_warp_barrier) {
  Buffer<int> out(32), flag(1);
  wait_for_the_other_half<<<1, 32>>>(out, flag);
  finish();
}
