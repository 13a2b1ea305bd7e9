// arch: 90a
// Blocks of a cluster that reach each other's shared memory too early, too late, or where there is none.
#include <cooperative_groups.h>

#include "../bulk.h"
#include "../case.h"

namespace cg = cooperative_groups;

constexpr int kTile = 128;  // words

// expect: race|use-after-free shared
// wrong: a block reads the other's tile before it is known to have stored it, or to have begun.
// cure:  cluster_arrive() and cluster_wait() in front of the read.
__global__ void __cluster_dims__(2, 1, 1) reads_at_once(int* out) {
  __shared__ int tile[kTile];
  const cg::cluster_group cluster = cg::this_cluster();
  const int rank = cluster.block_rank();
  tile[threadIdx.x] = rank;  // <- race
  __syncthreads();
  out[blockIdx.x * kTile + threadIdx.x] = cluster.map_shared_rank(tile, 1 - rank)[threadIdx.x];  // <- race
  cluster_arrive();
  cluster_wait();
}
CASE(other_blocks_tile_read_at_once) {
  Buffer<int> out(2 * kTile);
  reads_at_once<<<2, kTile>>>(out);
  finish();
}

// expect: use-after-free shared
// wrong: a block may leave before the other has read its tile.
// cure:  cluster_arrive() and cluster_wait() at the end.
__global__ void __cluster_dims__(2, 1, 1) leaves_early(int* out) {
  __shared__ int tile[kTile];
  const cg::cluster_group cluster = cg::this_cluster();
  const int rank = cluster.block_rank();
  tile[threadIdx.x] = rank;
  cluster.sync();
  out[blockIdx.x * kTile + threadIdx.x] =
      cluster.map_shared_rank(tile, 1 - rank)[threadIdx.x];  // <- use-after-free
}
CASE(block_leaves_before_it_is_read) {
  Buffer<int> out(2 * kTile);
  leaves_early<<<2, kTile>>>(out);
  finish();
}

// expect: race shared
// wrong: a relaxed arrival hands nothing on: the other block's stores need not be seen.
// cure:  cluster_arrive(), which releases.
__global__ void __cluster_dims__(2, 1, 1) relaxed_for_data(int* out) {
  __shared__ int tile[kTile];
  const cg::cluster_group cluster = cg::this_cluster();
  const int rank = cluster.block_rank();
  tile[threadIdx.x] = rank;  // <- race
  cluster_arrive_relaxed();
  cluster_wait();
  out[blockIdx.x * kTile + threadIdx.x] = cluster.map_shared_rank(tile, 1 - rank)[threadIdx.x];  // <- race
  cluster_arrive();
  cluster_wait();
}
CASE(relaxed_arrival_for_data) {
  Buffer<int> out(2 * kTile);
  relaxed_for_data<<<2, kTile>>>(out);
  finish();
}

// expect: race shared
// wrong: the owner stores its next tile while the other block may still read the one before.
// cure:  a barrier of the cluster behind the read.
__global__ void __cluster_dims__(2, 1, 1) stores_again(int* out, int turns) {
  __shared__ int tile[kTile];
  const cg::cluster_group cluster = cg::this_cluster();
  const int rank = cluster.block_rank();
  int sum = 0;
  for (int k = 0; k < turns; ++k) {
    tile[threadIdx.x] = k;  // <- race
    cluster.sync();
    sum += cluster.map_shared_rank(tile, 1 - rank)[threadIdx.x];  // <- race
  }
  out[blockIdx.x * kTile + threadIdx.x] = sum;
  cluster.sync();
}
CASE(tile_stored_again_while_the_other_block_reads) {
  Buffer<int> out(2 * kTile);
  stores_again<<<2, kTile>>>(out, 3);
  finish();
}

// expect: out-of-bounds shared
// wrong: a cluster of two has no block of rank 2.
// cure:  (rank + 1) % 2.
__global__ void __cluster_dims__(2, 1, 1) next_rank(int* out) {
  __shared__ int tile[kTile];
  const cg::cluster_group cluster = cg::this_cluster();
  const int rank = cluster.block_rank();
  tile[threadIdx.x] = rank;
  cluster.sync();
  out[blockIdx.x * kTile + threadIdx.x] =
      cluster.map_shared_rank(tile, rank + 1)[threadIdx.x];  // <- out-of-bounds
  cluster.sync();
}
CASE(rank_behind_the_last) {
  Buffer<int> out(2 * kTile);
  next_rank<<<2, kTile>>>(out);
  finish();
}

// expect: out-of-bounds shared
// wrong: the mask names four blocks, and the cluster has two.
// cure:  a mask of 3.
__global__ void __cluster_dims__(2, 1, 1) mask_of_four(int* out, const int* in) {
  __shared__ alignas(128) int tile[kTile];
  __shared__ std::uint64_t full;
  if (threadIdx.x == 0) mbarrier_init(&full, 1), fence_mbarrier_init(), mbarrier_expect(&full, sizeof tile);
  cluster_arrive();
  cluster_wait();
  if (threadIdx.x == 0 && blockIdx.x % 2 == 0)
    bulk_load_multicast(tile, in, sizeof tile, &full, 15);  // <- out-of-bounds
  mbarrier_wait(&full, 0);
  out[blockIdx.x * kTile + threadIdx.x] = tile[threadIdx.x];
  cluster_arrive();
  cluster_wait();
}
CASE(multicast_to_more_blocks_than_there_are) {
  Buffer<int> out(2 * kTile), in(kTile, 1);
  mask_of_four<<<2, kTile>>>(out, in);
  finish();
}

// expect: hang|race
// wrong: the other block announces no bytes, so that its phase does not end with them.
// cure:  mbarrier_expect() in each block that the copy goes to.
__global__ void __cluster_dims__(2, 1, 1) one_announces(int* out, const int* in) {
  __shared__ alignas(128) int tile[kTile];
  __shared__ std::uint64_t full;
  const int rank = blockIdx.x % 2;
  if (threadIdx.x == 0) mbarrier_init(&full, 1), fence_mbarrier_init();
  cluster_arrive();
  cluster_wait();
  if (threadIdx.x == 0 && rank == 0) {
    mbarrier_expect(&full, sizeof tile);
    bulk_load_multicast(tile, in, sizeof tile, &full, 3);  // <- race
  }
  mbarrier_wait(&full, 0);                                    // <- hang
  out[blockIdx.x * kTile + threadIdx.x] = tile[threadIdx.x];  // <- race
  cluster_arrive();
  cluster_wait();
}
CASE(multicast_that_one_block_announces) {
  Buffer<int> out(2 * kTile), in(kTile, 1);
  one_announces<<<2, kTile>>>(out, in);
  finish();
}

// expect: race|hang
// wrong: block 0 waits for its own consumers alone, and copies into the other block's stage, too.
// cure:  consumers of both blocks arrive at block 0's empty, which counts two.
__global__ void __cluster_dims__(2, 1, 1) own_consumers(int* out, const int* in, int turns) {
  __shared__ alignas(128) int tile[2][kTile];
  __shared__ std::uint64_t full[2], empty[2];
  const int rank = blockIdx.x % 2;
  if (threadIdx.x == 0) {
    for (int i = 0; i < 2; ++i) mbarrier_init(&full[i], 1), mbarrier_init(&empty[i], 1);
    fence_mbarrier_init();
  }
  cluster_arrive();
  cluster_wait();
  if (threadIdx.x == kTile) {
    for (int k = 0; k < turns; ++k) {
      const int stage = k % 2;
      if (rank == 0) mbarrier_wait(&empty[stage], (k / 2 + 1) % 2);
      mbarrier_expect(&full[stage], sizeof tile[0]);
      if (rank == 0)
        bulk_load_multicast(tile[stage], in + k * kTile, sizeof tile[0], &full[stage], 3);  // <- race
      if (rank == 1) mbarrier_wait(&full[stage], k / 2 % 2);                                // <- hang
    }
  } else if (threadIdx.x < kTile) {
    int sum = 0;
    for (int k = 0; k < turns; ++k) {
      mbarrier_wait(&full[k % 2], k / 2 % 2);  // <- hang
      sum += tile[k % 2][threadIdx.x];         // <- race
      asm volatile("bar.sync 1, 128;" ::: "memory");
      if (threadIdx.x == 0) mbarrier_arrive(&empty[k % 2]);
    }
    out[blockIdx.x * kTile + threadIdx.x] = sum;
  }
  cluster_arrive();
  cluster_wait();
}
CASE(multicast_ring_that_asks_one_block) {
  Buffer<int> out(2 * kTile), in(6 * kTile, 1);
  own_consumers<<<2, kTile + 32>>>(out, in, 6);
  finish();
}

// expect: use-after-free shared
// wrong: the consumers of block 1 arrive at block 0's mbarrier, and nothing keeps block 0 there.
// cure:  a barrier of the cluster at the end.
__global__ void __cluster_dims__(2, 1, 1) arrives_late(int* out) {
  __shared__ std::uint64_t ready;
  const int rank = blockIdx.x % 2;
  if (threadIdx.x == 0) mbarrier_init(&ready, 1), fence_mbarrier_init();
  cluster_arrive();
  cluster_wait();
  if (rank == 1 && threadIdx.x == 0) mbarrier_arrive_at(&ready, 0);  // <- use-after-free
  out[blockIdx.x * 32 + threadIdx.x] = 1;
}
CASE(arrival_at_a_block_that_may_have_left) {
  Buffer<int> out(64);
  arrives_late<<<2, 32>>>(out);
  finish();
}

// expect: hang|barrier
// wrong: only block 0 comes to the barrier of the cluster.
// cure:  all of its blocks.
__global__ void __cluster_dims__(2, 1, 1) one_block_waits(int* out) {
  __shared__ int tile[kTile];
  tile[threadIdx.x] = 1;
  if (blockIdx.x % 2 == 0) {
    cluster_arrive();
    cluster_wait();  // <- hang
  } else {
    __shared__ std::uint64_t never;
    if (threadIdx.x == 0) mbarrier_init(&never, 1);
    __syncthreads();
    mbarrier_wait(&never, 0);  // <- hang
  }
  out[blockIdx.x * kTile + threadIdx.x] = tile[threadIdx.x];
}
CASE(barrier_of_the_cluster_by_one_block) {
  Buffer<int> out(2 * kTile);
  one_block_waits<<<2, kTile>>>(out);
  finish();
}

// expect: barrier
// wrong: a thread arrives twice where it should arrive and wait.
// cure:  cluster_wait() behind the first arrival.
__global__ void __cluster_dims__(2, 1, 1) arrives_twice(int* out) {
  cluster_arrive();
  cluster_arrive();  // <- barrier
  cluster_wait();
  out[blockIdx.x * 32 + threadIdx.x] = 1;
}
CASE(two_arrivals_at_the_clusters_barrier) {
  Buffer<int> out(64);
  arrives_twice<<<2, 32>>>(out);
  finish();
}

// expect: race shared
// wrong: the histogram's bins are set to zero by their block while the other one counts in them already.
// cure:  a barrier of the cluster behind the zeros.
__global__ void __cluster_dims__(2, 1, 1) counts_early(int* out, const int* in) {
  __shared__ int bins[kTile];
  const cg::cluster_group cluster = cg::this_cluster();
  bins[threadIdx.x] = 0;  // <- race
  __syncthreads();
  const int value = in[blockIdx.x * kTile + threadIdx.x] % (2 * kTile);
  atomicAdd(cluster.map_shared_rank(bins, value / kTile) + value % kTile, 1);  // <- race
  cluster.sync();
  out[blockIdx.x * kTile + threadIdx.x] = bins[threadIdx.x];
}
CASE(bins_of_a_cluster_cleared_too_late) {
  Buffer<int> out(2 * kTile), in(2 * kTile, 0, 7);
  counts_early<<<2, kTile>>>(out, in);
  finish();
}
