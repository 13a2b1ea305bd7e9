// arch: 90a
// Correct: blocks of a cluster that use each other's shared memory.
#include <cooperative_groups.h>

#include "../bulk.h"
#include "../case.h"

namespace cg = cooperative_groups;

constexpr int kTile = 128;  // words

// Each block loads half of every tile, and both get it: a copy to two blocks counts at the mbarrier of each.
__global__ void __cluster_dims__(2, 1, 1) halves(int* out, const int* in, int turns) {
  __shared__ alignas(128) int tile[2][kTile];
  __shared__ std::uint64_t full[2], empty[2];
  const int rank = blockIdx.x % 2;
  if (threadIdx.x == 0) {
    for (int i = 0; i < 2; ++i) mbarrier_init(&full[i], 1), mbarrier_init(&empty[i], 2);
    fence_mbarrier_init();
  }
  cluster_arrive();
  cluster_wait();
  if (threadIdx.x == kTile) {
    for (int k = 0; k < turns; ++k) {
      const int stage = k % 2, half = rank * kTile / 2;
      mbarrier_wait(&empty[stage], (k / 2 + 1) % 2);
      mbarrier_expect(&full[stage], sizeof tile[0]);
      bulk_load_multicast(tile[stage] + half, in + k * kTile + half, sizeof tile[0] / 2, &full[stage], 3);
    }
  } else if (threadIdx.x < kTile) {
    int sum = 0;
    for (int k = 0; k < turns; ++k) {
      mbarrier_wait(&full[k % 2], k / 2 % 2);
      sum += tile[k % 2][kTile - 1 - threadIdx.x];
      asm volatile("bar.sync 1, 128;" ::: "memory");
      if (threadIdx.x < 2) mbarrier_arrive_at(&empty[k % 2], threadIdx.x);
    }
    out[blockIdx.x * kTile + threadIdx.x] = sum;
  }
  cluster_arrive();
  cluster_wait();
}
CASE(each_block_loads_half_for_both) {
  Buffer<int> out(2 * kTile), in(6 * kTile, 1);
  halves<<<2, kTile + 32>>>(out, in, 6);
  finish();
  for (const int x : out.host()) CHECK_THAT(x == 6);
}

// A sum over the cluster: each block reads the others' sums between two barriers of the cluster.
__global__ void __cluster_dims__(4, 1, 1) cluster_sum(int* out, const int* in) {
  __shared__ int sum;
  const cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, in[blockIdx.x * kTile + threadIdx.x]);
  cluster.sync();
  int all = 0;
  for (unsigned rank = 0; rank < cluster.num_blocks(); ++rank) all += *cluster.map_shared_rank(&sum, rank);
  out[blockIdx.x * kTile + threadIdx.x] = all;
  cluster.sync();
}
CASE(sum_over_a_cluster) {
  Buffer<int> out(4 * kTile), in(4 * kTile, 1);
  cluster_sum<<<4, kTile>>>(out, in);
  finish();
  for (const int x : out.host()) CHECK_THAT(x == 4 * kTile);
}

// A histogram whose bins lie in all blocks: cleared, counted by atomics, and read by their own block.
__global__ void __cluster_dims__(2, 1, 1) histogram(int* out, const int* in) {
  __shared__ int bins[kTile];
  const cg::cluster_group cluster = cg::this_cluster();
  bins[threadIdx.x] = 0;
  cluster.sync();
  const int value = in[blockIdx.x * kTile + threadIdx.x] % (2 * kTile);
  atomicAdd(cluster.map_shared_rank(bins, value / kTile) + value % kTile, 1);
  cluster.sync();
  out[blockIdx.x * kTile + threadIdx.x] = bins[threadIdx.x];
}
CASE(histogram_over_a_cluster) {
  Buffer<int> out(2 * kTile), in(2 * kTile, 0, 1);
  histogram<<<2, kTile>>>(out, in);
  finish();
  for (const int x : out.host()) CHECK_THAT(x == 1);
}

// A value goes round: each block stores into the next one's mailbox and arrives at its mbarrier.
__global__ void __cluster_dims__(4, 1, 1) round_robin(int* out, int turns) {
  __shared__ int mailbox[2];
  __shared__ std::uint64_t come[2], taken[2];
  const cg::cluster_group cluster = cg::this_cluster();
  const unsigned rank = cluster.block_rank(), next = (rank + 1) % 4, before = (rank + 3) % 4;
  if (threadIdx.x == 0) {
    for (int i = 0; i < 2; ++i) mbarrier_init(&come[i], 1), mbarrier_init(&taken[i], 1);
    fence_mbarrier_init();
  }
  cluster_arrive();
  cluster_wait();
  int value = rank;
  if (threadIdx.x == 0)
    for (int k = 0; k < turns; ++k) {
      mbarrier_wait_cluster(&taken[k % 2], (k / 2 + 1) % 2);
      cluster.map_shared_rank(mailbox, next)[k % 2] = value;
      mbarrier_arrive_at(&come[k % 2], next);
      mbarrier_wait_cluster(&come[k % 2], k / 2 % 2);
      value = mailbox[k % 2];
      mbarrier_arrive_at(&taken[k % 2], before);
    }
  if (threadIdx.x == 0) out[rank] = value;
  cluster_arrive();
  cluster_wait();
}
CASE(values_that_go_round) {
  Buffer<int> out(4);
  round_robin<<<4, 32>>>(out, 5);
  finish();
  const std::vector<int> result = out.host();
  for (int rank = 0; rank < 4; ++rank) CHECK_THAT(result[rank] == (rank + 4 * 5 - 5) % 4);
}

// A block copies a tile into its neighbour by a bulk copy, whose bytes the neighbour has announced.
__global__ void __cluster_dims__(2, 1, 1) to_the_neighbour(int* out) {
  __shared__ alignas(128) int mine[kTile], theirs[kTile];
  __shared__ std::uint64_t full;
  const int rank = blockIdx.x % 2;
  mine[threadIdx.x] = rank * kTile + threadIdx.x;
  if (threadIdx.x == 0) mbarrier_init(&full, 1), fence_mbarrier_init(), mbarrier_expect(&full, sizeof theirs);
  fence_proxy();
  cluster_arrive();
  cluster_wait();
  if (threadIdx.x == 0) bulk_copy_to(theirs, mine, sizeof mine, &full, 1 - rank);
  mbarrier_wait(&full, 0);
  out[blockIdx.x * kTile + threadIdx.x] = theirs[threadIdx.x];
  cluster_arrive();
  cluster_wait();
}
CASE(tile_copied_to_the_neighbour) {
  Buffer<int> out(2 * kTile);
  to_the_neighbour<<<2, kTile>>>(out);
  finish();
  const std::vector<int> result = out.host();
  for (int i = 0; i < 2 * kTile; ++i) CHECK_THAT(result[i] == (i + kTile) % (2 * kTile));
}

// Work between arrival and wait touches nothing that the others use.
__global__ void __cluster_dims__(2, 1, 1) between(int* out, const int* in) {
  __shared__ int tile[kTile], own[kTile];
  const cg::cluster_group cluster = cg::this_cluster();
  tile[threadIdx.x] = in[blockIdx.x * kTile + threadIdx.x];
  cluster_arrive();
  own[threadIdx.x] = 2 * tile[threadIdx.x];
  cluster_wait();
  const int sum = own[threadIdx.x] + cluster.map_shared_rank(tile, 1 - cluster.block_rank())[threadIdx.x];
  cluster_arrive();
  out[blockIdx.x * kTile + threadIdx.x] = sum;
  cluster_wait();
}
CASE(work_between_arrival_and_wait) {
  Buffer<int> out(2 * kTile), in(2 * kTile, 1);
  between<<<2, kTile>>>(out, in);
  finish();
  for (const int x : out.host()) CHECK_THAT(x == 3);
}
