// Correct: cooperative groups.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>

#include "../case.h"

namespace cg = cooperative_groups;

// All blocks have written before any of them reads.
__global__ void two_phases(int* out, int* squares, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  squares[i] = i * i;
  cg::this_grid().sync();
  out[i] = squares[n - 1 - i];
}
CASE(grid_barrier) {
  Buffer<int> out(256), squares(256);
  int *out_data = out, *squares_data = squares, n = 256;
  void* arguments[] = {&out_data, &squares_data, &n};
  cudaLaunchCooperativeKernel((const void*)two_phases, dim3(4), dim3(64), arguments, 0, nullptr);
  finish();
  CHECK_THAT(out.host()[0] == 255 * 255);
}

// Many rounds on two buffers, each round behind a barrier of the grid.
__global__ void diffuse(int* a, int* b, int n, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < rounds; ++k) {
    b[i] = a[(i + n - 1) % n] + a[(i + 1) % n];
    cg::this_grid().sync();
    int* swap = a;
    a = b;
    b = swap;
  }
}
CASE(rounds_of_the_grid) {
  Buffer<int> a(128, 1), b(128);
  int *a_data = a, *b_data = b, n = 128, rounds = 4;
  void* arguments[] = {&a_data, &b_data, &n, &rounds};
  cudaLaunchCooperativeKernel((const void*)diffuse, dim3(2), dim3(64), arguments, 0, nullptr);
  finish();
  CHECK_THAT(a.host()[5] == 16);
}

// The block as a group, and a reduction of each warp's tile.
__global__ void block_sum(int* out, const int* in) {
  __shared__ int sums[4];
  const cg::thread_block block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  const int sum = cg::reduce(warp, in[block.thread_rank()], cg::plus<int>());
  if (warp.thread_rank() == 0) sums[warp.meta_group_rank()] = sum;
  block.sync();
  if (block.thread_rank() == 0) *out = sums[0] + sums[1] + sums[2] + sums[3];
}
CASE(sum_of_a_block) {
  Buffer<int> out(1), in(128, 1);
  block_sum<<<1, 128>>>(out, in);
  finish();
  CHECK_THAT(out.host()[0] == 128);
}

// A collective copy into shared memory; wait() is a wait and a barrier.
__global__ void collective_copy(int* out, const int* in) {
  __shared__ alignas(16) int s[128];
  const cg::thread_block block = cg::this_thread_block();
  cg::memcpy_async(block, s, in, sizeof s);
  cg::wait(block);
  out[block.thread_rank()] = s[127 - block.thread_rank()];
}
CASE(collective_asynchronous_copy) {
  Buffer<int> out(128), in(128, 0, 1);
  collective_copy<<<1, 128>>>(out, in);
  finish();
  CHECK_THAT(out.host()[0] == 127);
}

// The lanes of a branch form a group and meet at its barrier.
__global__ void groups_of_branches(int* out, const int* in) {
  __shared__ int s[32];
  const int lane = threadIdx.x;
  if (lane % 3 == 0) {
    const cg::coalesced_group here = cg::coalesced_threads();
    s[here.thread_rank()] = in[lane];
    here.sync();
    out[lane] = s[here.size() - 1 - here.thread_rank()];
  }
}
CASE(group_of_a_branch) {
  Buffer<int> out(32), in(32, 0, 1);
  groups_of_branches<<<1, 32>>>(out, in);
  finish();
  CHECK_THAT(out.host()[0] == 30);
}
