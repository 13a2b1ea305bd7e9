// arch: 90a
// Correct: mbarriers, bulk copies and registers of kernels whose warps have roles.
#include "../bulk.h"
#include "../case.h"

constexpr int kTile = 128;  // words

// The producer's first waits are for a phase that is over from the start. One thread frees a stage for all.
__global__ void __launch_bounds__(256, 1) roles(int* out, const int* in, int turns) {
  __shared__ alignas(128) int tile[3][kTile];
  __shared__ std::uint64_t full[3], empty[3];
  if (threadIdx.x == 0) {
    for (int i = 0; i < 3; ++i) mbarrier_init(&full[i], 1), mbarrier_init(&empty[i], 1);
    fence_mbarrier_init();
  }
  __syncthreads();
  if (threadIdx.x >= kTile) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x > kTile) return;
    for (int k = 0; k < turns; ++k) {
      mbarrier_wait(&empty[k % 3], (k / 3 + 1) % 2);
      mbarrier_expect(&full[k % 3], sizeof tile[0]);
      bulk_load(tile[k % 3], in + k * kTile, sizeof tile[0], &full[k % 3]);
    }
    return;
  }
  asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
  int sum = 0;
  for (int k = 0; k < turns; ++k) {
    mbarrier_wait(&full[k % 3], k / 3 % 2);
    sum += tile[k % 3][threadIdx.x];
    asm volatile("bar.sync 1, 128;" ::: "memory");
    if (threadIdx.x == 0) mbarrier_arrive(&empty[k % 3]);
  }
  out[threadIdx.x] = sum;
}
CASE(roles_with_one_arrival_for_all) {
  Buffer<int> out(kTile), in(8 * kTile, 1);
  roles<<<1, 2 * kTile>>>(out, in, 8);
  finish();
  for (const int x : out.host()) CHECK_THAT(x == 8);
}

// All consumers arrive, each for itself.
__global__ void all_arrive(int* out, const int* in, int turns) {
  __shared__ alignas(128) int tile[2][kTile];
  __shared__ std::uint64_t full[2], empty[2];
  if (threadIdx.x == 0) {
    for (int i = 0; i < 2; ++i) mbarrier_init(&full[i], 1), mbarrier_init(&empty[i], kTile);
    fence_mbarrier_init();
  }
  __syncthreads();
  if (threadIdx.x >= kTile) {
    if (threadIdx.x > kTile) return;
    for (int k = 0; k < turns; ++k) {
      if (k >= 2) mbarrier_wait(&empty[k % 2], (k / 2 - 1) % 2);
      mbarrier_expect(&full[k % 2], sizeof tile[0]);
      bulk_load(tile[k % 2], in + k * kTile, sizeof tile[0], &full[k % 2]);
    }
    return;
  }
  int sum = 0;
  for (int k = 0; k < turns; ++k) {
    mbarrier_wait(&full[k % 2], k / 2 % 2);
    sum += tile[k % 2][threadIdx.x];
    mbarrier_arrive(&empty[k % 2]);
  }
  out[threadIdx.x] = sum;
}
CASE(roles_with_all_arrivals) {
  Buffer<int> out(kTile), in(7 * kTile, 1);
  all_arrive<<<1, kTile + 32>>>(out, in, 7);
  finish();
  for (const int x : out.host()) CHECK_THAT(x == 7);
}

// Initialised, fenced, and made known to the cluster by a relaxed arrival, as the PTX ISA shows it.
__global__ void __cluster_dims__(2, 1, 1) relaxed_arrival(int* out) {
  __shared__ std::uint64_t ready;
  if (threadIdx.x == 0) mbarrier_init(&ready, 2), fence_mbarrier_init();
  cluster_arrive_relaxed();
  cluster_wait();
  if (threadIdx.x == 0)
    for (int rank = 0; rank < 2; ++rank) mbarrier_arrive_at(&ready, rank);
  mbarrier_wait(&ready, 0);
  cluster_arrive();
  cluster_wait();
  out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
CASE(mbarriers_of_a_cluster) {
  Buffer<int> out(64);
  relaxed_arrival<<<2, 32>>>(out);
  finish();
  for (const int x : out.host()) CHECK_THAT(x == 1);
}

// A multicast ring: block 0 copies each tile to both blocks, once both have freed the stage.
__global__ void __cluster_dims__(2, 1, 1) multicast(int* out, const int* in, int turns) {
  __shared__ alignas(128) int tile[2][kTile];
  __shared__ std::uint64_t full[2], empty[2];
  const int rank = blockIdx.x % 2;
  if (threadIdx.x == 0) {
    for (int i = 0; i < 2; ++i) mbarrier_init(&full[i], 1), mbarrier_init(&empty[i], 2);
    fence_mbarrier_init();
  }
  cluster_arrive_relaxed();
  cluster_wait();
  if (threadIdx.x == kTile) {
    for (int k = 0; k < turns; ++k) {
      const int stage = k % 2;
      if (rank == 0) mbarrier_wait(&empty[stage], (k / 2 + 1) % 2);
      mbarrier_expect(&full[stage], sizeof tile[0]);
      if (rank == 0) bulk_load_multicast(tile[stage], in + k * kTile, sizeof tile[0], &full[stage], 3);
      if (rank == 1) mbarrier_wait(&full[stage], k / 2 % 2);
    }
  } else if (threadIdx.x < kTile) {
    int sum = 0;
    for (int k = 0; k < turns; ++k) {
      mbarrier_wait(&full[k % 2], k / 2 % 2);
      sum += tile[k % 2][threadIdx.x];
      asm volatile("bar.sync 1, 128;" ::: "memory");
      if (threadIdx.x == 0) mbarrier_arrive_at(&empty[k % 2], 0);
    }
    out[blockIdx.x * kTile + threadIdx.x] = sum;
  }
  cluster_arrive();
  cluster_wait();
}
CASE(multicast_ring) {
  Buffer<int> out(2 * kTile), in(6 * kTile, 1);
  multicast<<<2, kTile + 32>>>(out, in, 6);
  finish();
  for (const int x : out.host()) CHECK_THAT(x == 6);
}

// Two tiles by turns: a tile is stored again once all but the last copy have read theirs.
__global__ void stored_by_turns(int* out, int turns) {
  __shared__ alignas(128) int tile[2][kTile];
  for (int k = 0; k < turns; ++k) {
    if (threadIdx.x == 0) bulk_wait_read<1>();
    __syncthreads();
    tile[k % 2][threadIdx.x] = k;
    fence_proxy();
    __syncthreads();
    if (threadIdx.x == 0) bulk_store(out + k * kTile, tile[k % 2], sizeof tile[0]), bulk_commit();
  }
  if (threadIdx.x == 0) bulk_wait_read<0>();
}
CASE(stores_by_turns) {
  Buffer<int> out(5 * kTile);
  stored_by_turns<<<1, kTile>>>(out, 5);
  finish();
  const std::vector<int> result = out.host();
  for (int k = 0; k < 5; ++k) CHECK_THAT(result[k * kTile] == k && result[k * kTile + kTile - 1] == k);
}
