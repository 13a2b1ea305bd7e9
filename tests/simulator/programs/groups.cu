// arch: 90
// Cooperative groups: tiles, partitions, coalesced groups, reduce, scan, memcpy_async, grid.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/barrier>

#include "program.h"

namespace cg = cooperative_groups;

/// out: for each thread, what eight ways of adding up give.
__global__ void collectives(int* out, const int* in) {
  const cg::thread_block block = cg::this_thread_block();
  const int i = block.thread_rank();
  const int v = in[i];
  const auto tile = cg::tiled_partition<8>(block);
  out[i] = cg::reduce(tile, v, cg::plus<int>());
  out[256 + i] = cg::inclusive_scan(tile, v);
  out[512 + i] = cg::exclusive_scan(tile, v, cg::plus<int>());
  const auto warp = cg::tiled_partition<32>(block);
  out[768 + i] = cg::reduce(warp, v, cg::greater<int>());
  const auto odd = cg::binary_partition(warp, i % 2 == 1);
  out[1024 + i] = cg::reduce(odd, v, cg::plus<int>());
  const auto same = cg::labeled_partition(warp, i % 3);
  out[1280 + i] = cg::reduce(same, 1, cg::plus<int>());
  out[1536 + i] = -1;
  if (v % 5 == 0) {
    const cg::coalesced_group active = cg::coalesced_threads();
    out[1536 + i] = active.thread_rank() + 100 * active.size();
  }
  out[1792 + i] = tile.shfl_down(v, 1) + tile.any(v == 7) + tile.meta_group_rank();
  __shared__ cg::block_tile_memory<256> scratch;
  const auto whole = cg::this_thread_block(scratch);
  const auto large = cg::tiled_partition<128>(whole);
  out[2048 + i] = cg::reduce(large, v, cg::plus<int>());
}

__global__ void copies(int* out, const int* in) {
  extern __shared__ int stage[];
  const cg::thread_block block = cg::this_thread_block();
  cg::memcpy_async(block, stage, in, cuda::aligned_size_t<16>(4 * block.size()));
  cg::wait(block);
  out[block.thread_rank()] = stage[block.size() - 1 - block.thread_rank()];
}

/// Blocks add up in two steps with a barrier of the whole grid between them.
__global__ void whole_grid(int* partial, int* total) {
  const cg::grid_group grid = cg::this_grid();
  if (threadIdx.x == 0) partial[blockIdx.x] = blockIdx.x + 1;
  grid.sync();
  if (grid.thread_rank() == 0)
    for (unsigned b = 0; b < gridDim.x; ++b) atomicAdd(total, partial[b]);
  cg::invoke_one(cg::this_thread_block(), [&] { atomicAdd(total, 1000); });
}

extern "C" bool check() {
  const int n = 256;
  std::vector<int> in(n);
  for (int i = 0; i < n; ++i) in[i] = i * 37 % 101;
  int *d_in = to_device(in), *d_out = to_device(std::vector<int>(9 * n));
  collectives<<<1, n>>>(d_out, d_in);
  CUDA_OK(cudaDeviceSynchronize());
  const std::vector<int> out = to_host(d_out, 9 * n);
  for (int i = 0; i < n; ++i) {
    int tile = 0, before = 0, most = 0, alike = 0, labelled = 0, active = 0, rank = 0, half = 0, seven = 0;
    for (int j = 0; j < n; ++j) {
      if (j / 8 == i / 8) tile += in[j], before += j < i ? in[j] : 0, seven |= in[j] == 7;
      if (j / 128 == i / 128) half += in[j];
      if (j / 32 != i / 32) continue;
      most = std::max(most, in[j]);
      if (j % 2 == i % 2) alike += in[j];
      if (j % 3 == i % 3) ++labelled;
      if (in[j] % 5 == 0) ++active, rank += j < i;
    }
    EXPECT(out[i] == tile);
    EXPECT(out[n + i] == before + in[i]);
    EXPECT(out[2 * n + i] == before);
    EXPECT(out[3 * n + i] == most);
    EXPECT(out[4 * n + i] == alike);
    EXPECT(out[5 * n + i] == labelled);
    EXPECT(out[6 * n + i] == (in[i] % 5 == 0 ? rank + 100 * active : -1));
    EXPECT(out[7 * n + i] == in[i % 8 == 7 ? i : i + 1] + seven + i / 8);
    EXPECT(out[8 * n + i] == half);
  }
  copies<<<1, n, n * sizeof(int)>>>(d_out, d_in);
  CUDA_OK(cudaDeviceSynchronize());
  const std::vector<int> turned = to_host(d_out, n);
  for (int i = 0; i < n; ++i) EXPECT(turned[i] == in[n - 1 - i]);
  int *partial = to_device(std::vector<int>(16)), *total = to_device(std::vector<int>(1));
  void* arguments[] = {&partial, &total};
  CUDA_OK(cudaLaunchCooperativeKernel((void*)whole_grid, 16, 64, arguments));
  CUDA_OK(cudaDeviceSynchronize());
  EXPECT(to_host(total, 1)[0] == 16 * 17 / 2 + 16000);
  for (void* p : {(void*)d_in, (void*)d_out, (void*)partial, (void*)total}) CUDA_OK(cudaFree(p));
  return true;
}
