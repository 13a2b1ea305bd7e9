// Races between threads whose barrier is for others.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "../case.h"

namespace cg = cooperative_groups;

// expect: race shared
// wrong: the barrier is for tiles of sixteen, the words come from the other half of the warp.
// cure:  tiled_partition<32>.
__global__ void swap_halves(int* out, const int* in) {
  __shared__ int s[32];
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  s[threadIdx.x] = in[threadIdx.x];  // <- race
  tile.sync();
  out[threadIdx.x] = s[31 - threadIdx.x];  // <- race
}
CASE(tile_too_small) {
  Buffer<int> out(32), in(32, 0, 1);
  swap_halves<<<1, 32>>>(out, in);
  finish();
}

// expect: race shared
// wrong: a tile of two warps waits; the words come from the other tile.
// cure:  block.sync().
__global__ void swap_tiles(int* out, const int* in) {
  __shared__ cg::block_tile_memory<128> scratch;
  __shared__ int s[128];
  const cg::thread_block block = cg::this_thread_block(scratch);
  const auto tile = cg::tiled_partition<64>(block);
  s[threadIdx.x] = in[threadIdx.x];  // <- race
  tile.sync();
  out[threadIdx.x] = s[127 - threadIdx.x];  // <- race
}
CASE(tile_of_two_warps_too_small) {
  Buffer<int> out(128), in(128, 0, 1);
  swap_tiles<<<1, 128>>>(out, in);
  finish();
}

// expect: race shared
// wrong: block.sync() is missing between the reduction's store and the read of all sums.
// cure:  block.sync() after the store.
__global__ void sums_of_warps(int* out, const int* in) {
  __shared__ int sums[4];
  const cg::thread_block block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  const int sum = cg::reduce(warp, in[block.thread_rank()], cg::plus<int>());
  if (warp.thread_rank() == 0) sums[warp.meta_group_rank()] = sum;             // <- race
  if (block.thread_rank() == 0) *out = sums[0] + sums[1] + sums[2] + sums[3];  // <- race
}
CASE(block_sync_forgotten) {
  Buffer<int> out(1), in(128, 1);
  sums_of_warps<<<1, 128>>>(out, in);
  finish();
}

// expect: race shared
// wrong: the group of the branch meets; lane 1, in the other branch, reads without it.
// cure:  __syncwarp() behind the branches.
__global__ void other_branch(int* out, const int* in) {
  __shared__ int s[32];
  const int lane = threadIdx.x;
  if (lane % 2 == 0) {
    const auto here = cg::coalesced_threads();
    s[lane] = in[lane];  // <- race
    here.sync();
  } else {
    s[lane] = -in[lane];
  }
  out[lane] = s[lane & ~1];  // <- race
}
CASE(group_of_the_other_branch) {
  Buffer<int> out(32), in(32, 0, 1);
  other_branch<<<1, 32>>>(out, in);
  finish();
}

// expect: race global
// wrong: block.sync() where grid.sync() is meant.
// cure:  this_grid().sync() and a cooperative launch.
__global__ void two_phases(int* out, int* squares, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  squares[i] = i * i;  // <- race
  cg::this_thread_block().sync();
  out[i] = squares[n - 1 - i];  // <- race
}
CASE(block_sync_instead_of_grid_sync) {
  Buffer<int> out(128), squares(128);
  two_phases<<<2, 64>>>(out, squares, 128);
  finish();
}

// expect: race global
// wrong: the next round overwrites what neighbours still read: one barrier of the grid is missing.
// cure:  two buffers, or a second grid.sync().
__global__ void smooth(int* a, int n, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < rounds; ++k) {
    const int sum = a[(i + 1) % n] + a[i];  // <- race
    a[i] = sum;                             // <- race
    cg::this_grid().sync();
  }
}
CASE(one_grid_sync_too_few) {
  Buffer<int> a(128, 1);
  int *data = a, n = 128, rounds = 2;
  void* arguments[] = {&data, &n, &rounds};
  cudaLaunchCooperativeKernel((const void*)smooth, dim3(2), dim3(64), arguments, 0, nullptr);
  finish();
}

// expect: race shared
// wrong: __syncwarp with the lower half's mask; the words come from the upper half.
// cure:  __syncwarp() of all 32.
__global__ void half_masks(int* out, const int* in) {
  __shared__ int s[32];
  const int lane = threadIdx.x;
  s[lane] = in[lane];  // <- race
  __syncwarp(lane < 16 ? 0x0000ffff : 0xffff0000);
  out[lane] = s[lane ^ 16];  // <- race
}
CASE(warp_barrier_of_each_half) {
  Buffer<int> out(32), in(32, 0, 1);
  half_masks<<<1, 32>>>(out, in);
  finish();
}

// expect: race shared
// wrong: the consumers arrive and go on; nobody waits for the producers.
// cure:  bar.sync in the consumers, bar.arrive in the producers.
__global__ void arrives_instead(int* out, const int* in) {
  __shared__ int s[32];
  const int t = threadIdx.x % 32;
  if (threadIdx.x < 32) {
    s[t] = in[t];  // <- race
    asm volatile("bar.sync 1, 64;" ::: "memory");
  } else {
    asm volatile("bar.arrive 1, 64;" ::: "memory");
    out[t] = s[31 - t];  // <- race
  }
}
CASE(consumer_arrives_and_does_not_wait) {
  Buffer<int> out(32), in(32, 0, 1);
  arrives_instead<<<1, 64>>>(out, in);
  finish();
}

// expect: race shared
// wrong: a fence is no barrier: it orders this thread's own accesses, and waits for nobody.
// cure:  __syncthreads().
__global__ void fence_for_barrier(int* out, const int* in) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = in[t];  // <- race
  __threadfence_block();
  out[t] = s[63 - t];  // <- race
}
CASE(fence_taken_for_a_barrier) {
  Buffer<int> out(64), in(64, 0, 1);
  fence_for_barrier<<<1, 64>>>(out, in);
  finish();
}

// expect: race|barrier
// wrong: the flag is reset while slower threads still test it.
// cure:  a barrier before the reset as well.
__global__ void flag_reset_early(int* out, const int* in) {
  __shared__ bool changed;
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = in[t];
  do {
    if (t == 0) changed = false;  // <- race
    __syncthreads();              // <- barrier
    const int mine = s[t], right = t + 1 < 64 ? s[t + 1] : mine;
    __syncthreads();                                 // <- barrier
    if (right > mine) s[t] = right, changed = true;  // <- race
    __syncthreads();                                 // <- barrier
  } while (changed);                                 // <- race
  out[t] = s[t];
}
CASE(flag_reset_while_others_test_it) {
  Buffer<int> out(64), in(64, 0, 1);
  flag_reset_early<<<1, 64>>>(out, in);
  finish();
}

// expect: race shared
// wrong: the same scratch for two reductions, no barrier between them.
// cure:  __syncthreads() before the second one stores.
template <class F>
__device__ int reduce_block(int x, int* scratch, F f) {
  for (int d = 16; d > 0; d /= 2) x = f(x, __shfl_xor_sync(0xffffffff, x, d));
  if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = x;  // <- race
  __syncthreads();
  x = scratch[0];                                                       // <- race
  for (int k = 1; k < int(blockDim.x) / 32; ++k) x = f(x, scratch[k]);  // <- race
  return x;
}
__global__ void range(int* out, const int* in) {
  __shared__ int scratch[4];
  const int x = in[threadIdx.x];
  const int most = reduce_block(x, scratch, [](int a, int b) { return a > b ? a : b; });
  const int least = reduce_block(x, scratch, [](int a, int b) { return a < b ? a : b; });
  if (threadIdx.x == 0) *out = most - least;
}
CASE(scratch_used_twice) {
  Buffer<int> out(1), in(128, 0, 1);
  range<<<1, 128>>>(out, in);
  finish();
}
