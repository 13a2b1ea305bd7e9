// Bulk copies that are read too early, or overwrite what is still being read.
#include <cooperative_groups.h>

#include <cuda/barrier>

#include "../case.h"

#pragma nv_diag_suppress static_var_with_dynamic_init

namespace cg = cooperative_groups;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

// expect: race shared
// wrong: a barrier of the block does not wait for the copy.
// cure:  ready.arrive_and_wait() before the read.
__global__ void barrier_of_the_block(int* out, const int* in) {
  __shared__ alignas(16) int tile[128];
  __shared__ Barrier ready;
  const cg::thread_block block = cg::this_thread_block();
  if (block.thread_rank() == 0) init(&ready, block.size());
  block.sync();
  cuda::memcpy_async(block, tile, in, cuda::aligned_size_t<16>(sizeof tile), ready);  // <- race
  block.sync();
  out[threadIdx.x] = tile[127 - threadIdx.x];  // <- race
  ready.arrive_and_wait();
}
CASE(bulk_copy_read_behind_a_barrier) {
  Buffer<int> out(128), in(128, 0, 1);
  barrier_of_the_block<<<1, 128>>>(out, in);
  finish();
}

// expect: race shared
// wrong: the next copy goes into the tile that other warps may still be reading.
// cure:  a barrier before the copy.
__global__ void refilled(int* out, const int* in, int tiles) {
  __shared__ alignas(16) int tile[128];
  __shared__ Barrier ready;
  const cg::thread_block block = cg::this_thread_block();
  if (block.thread_rank() == 0) init(&ready, block.size());
  block.sync();
  int sum = 0;
  for (int k = 0; k < tiles; ++k) {
    cuda::memcpy_async(block, tile, in + k * 128, cuda::aligned_size_t<16>(sizeof tile), ready);  // <- race
    ready.arrive_and_wait();
    sum += tile[127 - threadIdx.x];  // <- race
  }
  out[threadIdx.x] = sum;
}
CASE(bulk_copy_into_a_tile_in_use) {
  Buffer<int> out(128), in(4 * 128, 1);
  refilled<<<1, 128>>>(out, in, 4);
  finish();
}
