// arch: 90
// Thread block clusters by cooperative groups: a histogram over the blocks of a cluster, a reduction, a ring,
// by
// __cluster_dims__ and by the launch's attribute.
#include <cooperative_groups.h>

#include "program.h"

namespace cg = cooperative_groups;

/// Bins are spread over the blocks of the cluster, kBins a block.
constexpr int kBins = 16;

__global__ void histogram(int* bins, const int* values, int n) {
  extern __shared__ int mine[];
  const cg::cluster_group cluster = cg::this_cluster();
  for (int i = threadIdx.x; i < kBins; i += blockDim.x) mine[i] = 0;
  cluster.sync();
  for (int i = cluster.thread_rank() + blockIdx.x / cluster.num_blocks() * cluster.num_threads(); i < n;
       i += gridDim.x * blockDim.x) {
    const int bin = values[i] % (kBins * int(cluster.num_blocks()));
    atomicAdd(cluster.map_shared_rank(mine, bin / kBins) + bin % kBins, 1);
  }
  cluster.sync();
  int* const to = bins + cluster.block_rank() * kBins;
  for (int i = threadIdx.x; i < kBins; i += blockDim.x) atomicAdd(&to[i], mine[i]);
}

__global__ void __cluster_dims__(4, 2, 1) reduce(int* sums, int* ranks) {
  __shared__ int sum;
  const cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0) sum = 0;
  cluster.sync();
  int* const there = cluster.map_shared_rank(&sum, 0);
  atomicAdd(there, 1 + int(cluster.block_rank()));
  cluster.barrier_arrive();
  cluster.barrier_wait();
  if (cluster.thread_rank() == 0) {
    const dim3 grid = cluster.dim_blocks();
    sums[blockIdx.x / 4 + blockIdx.y / 2 * gridDim.x / 4] = sum + 1000 * int(grid.x * 10 + grid.y);
  }
  const dim3 index = cluster.block_index();
  if (threadIdx.x == 0)
    ranks[blockIdx.y * gridDim.x + blockIdx.x] =
        int(index.x + 10 * index.y + 100 * cluster.query_shared_rank(there) +
            1000 * cluster.query_shared_rank(&sum));
  cluster.sync();
}

/// Each block gives its value to the next one, once round.
__global__ void ring(int* out) {
  __shared__ int value, incoming;
  const cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0) value = int(cluster.block_rank());
  const unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
  int total = 0;
  for (unsigned step = 0; step < cluster.num_blocks(); ++step) {
    cluster.sync();
    if (threadIdx.x == 0) *cluster.map_shared_rank(&incoming, next) = value;
    cluster.sync();
    total = total * 10 + incoming;
    __syncthreads();
    if (threadIdx.x == 0) value = incoming;
  }
  if (threadIdx.x == 5) out[blockIdx.x] = total;
  cluster.sync();
}

template <class... P, class... A>
cudaError_t launch(void (*kernel)(P...), dim3 grid, dim3 block, dim3 cluster, std::size_t shared,
                   A... arguments) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {cluster.x, cluster.y, cluster.z};
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = shared;
  config.attrs = &attribute;
  config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, kernel, arguments...);
}

bool check_histogram(unsigned blocks) {
  std::vector<int> values(5000), expected(kBins * blocks);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = int(i * i % 1009);
    ++expected[std::size_t(values[i]) % expected.size()];
  }
  int *d_values = to_device(values), *d_bins = to_device(std::vector<int>(expected.size()));
  CUDA_OK(launch(histogram, 4 * blocks, 96, blocks, kBins * sizeof(int), d_bins,
                 static_cast<const int*>(d_values), int(values.size())));
  CUDA_OK(cudaDeviceSynchronize());
  EXPECT(to_host(d_bins, expected.size()) == expected);
  CUDA_OK(cudaFree(d_values));
  CUDA_OK(cudaFree(d_bins));
  return true;
}

extern "C" bool check() {
  for (const unsigned blocks : {1u, 2u, 8u})
    if (!check_histogram(blocks)) return false;

  int *d_sums = to_device(std::vector<int>(4)), *d_ranks = to_device(std::vector<int>(32));
  reduce<<<dim3(8, 4), 64>>>(d_sums, d_ranks);
  CUDA_OK(cudaDeviceSynchronize());
  for (const int sum : to_host(d_sums, 4)) EXPECT(sum == 64 * 36 + 42000);
  const std::vector<int> ranks = to_host(d_ranks, 32);
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 8; ++x)
      EXPECT(ranks[std::size_t(8 * y + x)] == x % 4 + 10 * (y % 2) + 1000 * (x % 4 + 4 * (y % 2)));

  int* d_out = to_device(std::vector<int>(8));
  CUDA_OK(launch(ring, 8, 32, 4, 0, d_out));
  CUDA_OK(cudaDeviceSynchronize());
  const std::vector<int> out = to_host(d_out, 8);
  for (int b = 0; b < 8; ++b) {
    int total = 0;
    for (int step = 1; step <= 4; ++step) total = total * 10 + (b % 4 + 4 - step) % 4;
    EXPECT(out[std::size_t(b)] == total);
  }
  CUDA_OK(cudaFree(d_sums));
  CUDA_OK(cudaFree(d_ranks));
  CUDA_OK(cudaFree(d_out));
  return true;
}
