// Correct: cooperative groups of every size.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include "../case.h"

namespace cg = cooperative_groups;

// Tiles of eight lanes exchange within their own slices, each behind the tile's own barrier.
__global__ void tiles_of_eight(int* out, const int* in) {
  __shared__ int s[64];
  const cg::thread_block block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<8>(block);
  const int t = block.thread_rank(), base = t / 8 * 8;
  s[t] = in[t];
  tile.sync();
  const int other = s[base + 7 - tile.thread_rank()];
  tile.sync();
  s[t] = other;
  tile.sync();
  out[t] = s[base + 7 - tile.thread_rank()];
}
CASE(slices_of_tiles_of_eight) {
  Buffer<int> out(64), in(64, 0, 1);
  tiles_of_eight<<<1, 64>>>(out, in);
  finish();
  CHECK_THAT(out.host()[13] == 13);
}

// A tile of two warps has a barrier of its own.
__global__ void tile_of_two_warps(int* out, const int* in) {
  __shared__ cg::block_tile_memory<128> scratch;
  __shared__ int s[128];
  const cg::thread_block block = cg::this_thread_block(scratch);
  const auto tile = cg::tiled_partition<64>(block);
  const int t = block.thread_rank(), base = t / 64 * 64;
  s[t] = in[t];
  tile.sync();
  out[t] = s[base + 63 - tile.thread_rank()];
}
CASE(tiles_of_two_warps) {
  Buffer<int> out(128), in(128, 0, 1);
  tile_of_two_warps<<<1, 128>>>(out, in);
  finish();
  CHECK_THAT(out.host()[0] == 63);
}

// A reduction by tiles of two warps, scratch memory in between.
__global__ void reduce_two_warps(int* out, const int* in) {
  __shared__ cg::block_tile_memory<128> scratch;
  const cg::thread_block block = cg::this_thread_block(scratch);
  const auto tile = cg::tiled_partition<64>(block);
  for (int k = 0; k < 3; ++k) {
    const int sum = cg::reduce(tile, in[block.thread_rank()] + k, cg::plus<int>());
    if (tile.thread_rank() == 0) out[2 * k + tile.meta_group_rank()] = sum;
  }
}
CASE(reductions_of_two_warps) {
  Buffer<int> out(6), in(128, 1);
  reduce_two_warps<<<1, 128>>>(out, in);
  finish();
  CHECK_THAT(out.host()[5] == 64 * 3);
}

// Lanes with one label form a group, which shares a word.
__global__ void groups_by_label(int* out, const int* in) {
  __shared__ int head[4];
  const cg::thread_block block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  const int label = in[threadIdx.x] % 4;
  const auto group = cg::labeled_partition(warp, label);
  if (group.thread_rank() == 0) head[label] = group.size();
  group.sync();
  out[threadIdx.x] = head[label];
}
CASE(labelled_groups) {
  Buffer<int> out(32), in(32, 0, 1);
  groups_by_label<<<1, 32>>>(out, in);
  finish();
  CHECK_THAT(out.host()[9] == 8);
}

// Both halves of a condition are groups.
__global__ void groups_of_two(int* out, const int* in) {
  __shared__ int s[2];
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const bool odd = in[threadIdx.x] % 2 != 0;
  const auto group = cg::binary_partition(warp, odd);
  const int sum = cg::reduce(group, in[threadIdx.x], cg::plus<int>());
  if (group.thread_rank() == 0) s[odd] = sum;
  warp.sync();
  out[threadIdx.x] = s[!odd];
}
CASE(binary_groups) {
  Buffer<int> out(32), in(32, 0, 1);
  groups_of_two<<<1, 32>>>(out, in);
  finish();
  CHECK_THAT(out.host()[0] == 256);
}

// Each lane of the active ones takes its place: aggregated by the group's first.
__global__ void keep_positive(int* out, int* count, const int* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || in[i] % 3 != 0) return;
  const auto active = cg::coalesced_threads();
  int base = 0;
  if (active.thread_rank() == 0) base = atomicAdd(count, active.size());
  out[active.shfl(base, 0) + active.thread_rank()] = in[i];
}
CASE(filter_by_coalesced_group) {
  Buffer<int> out(100), count(1), in(100, 0, 1);
  keep_positive<<<2, 64>>>(out, count, in, 100);
  finish();
  CHECK_THAT(count.host()[0] == 34);
}

// Scan of a tile, sums of the tiles in shared memory, one barrier of the block.
__global__ void scan_by_tiles(int* out, const int* in) {
  __shared__ int sums[4];
  const cg::thread_block block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  const int x = in[block.thread_rank()], before = cg::exclusive_scan(warp, x, cg::plus<int>());
  if (warp.thread_rank() == 31) sums[warp.meta_group_rank()] = before + x;
  cg::sync(block);
  int base = 0;
  for (unsigned k = 0; k < warp.meta_group_rank(); ++k) base += sums[k];
  out[block.thread_rank()] = base + before;
}
CASE(scan_of_tiles) {
  Buffer<int> out(128), in(128, 1);
  scan_by_tiles<<<1, 128>>>(out, in);
  finish();
  CHECK_THAT(out.host()[127] == 127);
}

// The block's barrier in two halves.
__global__ void block_in_two_halves(int* out, const int* in) {
  __shared__ int s[96];
  const cg::thread_block block = cg::this_thread_block();
  const int t = threadIdx.x;
  s[t] = in[t];
  auto token = block.barrier_arrive();
  const int own = in[t] * 2;
  block.barrier_wait(std::move(token));
  out[t] = s[95 - t] + own;
}
CASE(barrier_arrive_and_wait_of_a_block) {
  Buffer<int> out(96), in(96, 0, 1);
  block_in_two_halves<<<1, 96>>>(out, in);
  finish();
  CHECK_THAT(out.host()[0] == 95);
}

// Half of a warp leaves; a tile of sixteen goes on.
__global__ void lower_tile(int* out, const int* in) {
  __shared__ int s[16];
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  if (tile.meta_group_rank() == 1) return;
  s[tile.thread_rank()] = in[threadIdx.x];
  tile.sync();
  out[threadIdx.x] = s[15 - tile.thread_rank()] + tile.shfl_xor(in[threadIdx.x], 1);
}
CASE(one_tile_leaves_early) {
  Buffer<int> out(32), in(32, 0, 1);
  lower_tile<<<1, 32>>>(out, in);
  finish();
  CHECK_THAT(out.host()[0] == 16);
}

// Red and black elements in turns; the barrier of the grid between, in a loop inside a function.
__device__ void half_sweep(int* a, int n, int colour, cg::grid_group grid) {
  for (int i = grid.thread_rank(); i < n; i += grid.size())
    if (i % 2 == colour && i > 0 && i < n - 1) a[i] = (a[i - 1] + a[i + 1]) / 2;
  grid.sync();
}
__global__ void red_black(int* a, int n, int sweeps) {
  for (int k = 0; k < 2 * sweeps; ++k) half_sweep(a, n, k % 2, cg::this_grid());
}
CASE(red_black_sweeps) {
  Buffer<int> a(301, 4);
  int *data = a, n = 301, sweeps = 3;
  void* arguments[] = {&data, &n, &sweeps};
  cudaLaunchCooperativeKernel((const void*)red_black, dim3(3), dim3(64), arguments, 0, nullptr);
  finish();
  CHECK_THAT(a.host()[150] == 4);
}

// Sum over the grid with the grid's barrier, and the result read by everybody.
__global__ void normalise(float* a, float* total, int n) {
  __shared__ float s[64];
  const cg::grid_group grid = cg::this_grid();
  const int t = threadIdx.x, i = grid.thread_rank();
  s[t] = i < n ? a[i] : 0;
  __syncthreads();
  for (int h = 32; h > 0; h /= 2) {
    if (t < h) s[t] += s[t + h];
    __syncthreads();
  }
  if (t == 0) atomicAdd(total, s[0]);
  grid.sync();
  if (i < n) a[i] /= *total;
}
CASE(sum_over_the_grid_used_by_all) {
  Buffer<float> a(150, 2), total(1);
  float *data = a, *sum = total;
  int n = 150;
  void* arguments[] = {&data, &sum, &n};
  cudaLaunchCooperativeKernel((const void*)normalise, dim3(3), dim3(64), arguments, 0, nullptr);
  finish();
  CHECK_THAT(a.host()[149] == 2.0f / 300);
}
