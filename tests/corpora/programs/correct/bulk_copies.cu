// Correct: one lane copies whole pieces of memory, and all wait for the mbarrier that counts the bytes.
#include <cooperative_groups.h>

#include <cuda/barrier>

#include "../case.h"

#pragma nv_diag_suppress static_var_with_dynamic_init

namespace cg = cooperative_groups;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

// An aligned size makes it one bulk copy from compute capability 9.0 on.
__global__ void whole_tile(int* out, const int* in) {
  __shared__ alignas(16) int tile[256];
  __shared__ Barrier ready;
  const cg::thread_block block = cg::this_thread_block();
  if (block.thread_rank() == 0) init(&ready, block.size());
  block.sync();
  cuda::memcpy_async(block, tile, in, cuda::aligned_size_t<16>(sizeof tile), ready);
  ready.arrive_and_wait();
  out[threadIdx.x] = tile[255 - threadIdx.x];
}
CASE(bulk_copy_waited_for) {
  Buffer<int> out(256), in(256, 0, 1);
  whole_tile<<<1, 256>>>(out, in);
  finish();
}

// Two tiles by turns: the arrival at the next phase says that a tile has been read.
__global__ void by_turns(int* out, const int* in, int tiles) {
  __shared__ alignas(16) int tile[2][128];
  __shared__ Barrier ready[2];
  const cg::thread_block block = cg::this_thread_block();
  if (block.thread_rank() < 2) init(&ready[block.thread_rank()], block.size());
  block.sync();
  const cuda::aligned_size_t<16> kBytes(sizeof tile[0]);
  cuda::memcpy_async(block, tile[0], in, kBytes, ready[0]);
  int sum = 0;
  for (int k = 0; k < tiles; ++k) {
    if (k + 1 < tiles)
      cuda::memcpy_async(block, tile[(k + 1) % 2], in + (k + 1) * 128, kBytes, ready[(k + 1) % 2]);
    ready[k % 2].arrive_and_wait();
    sum += tile[k % 2][127 - threadIdx.x];
    block.sync();
  }
  out[threadIdx.x] = sum;
}
CASE(bulk_copies_by_turns) {
  Buffer<int> out(128), in(5 * 128, 1);
  by_turns<<<1, 128>>>(out, in, 5);
  finish();
}
