// mbarriers and the barrier of a cluster, by the names that PTX gives them. For compute capability 9.0.
//
// An mbarrier lies in shared memory and counts a *phase*: so many arrivals, and so many bytes of copies. When
// both have come, the phase ends and the next one begins by itself. A phase is named by its parity, 0, 1, 0,
// 1, ..., which each thread keeps for itself. While the first one lasts, waiting for parity 1 ends at once.
#pragma once

#include <cstdint>

/// An address in shared memory as instructions want it.
__device__ inline unsigned shared_address(const void* place) {
  return static_cast<unsigned>(__cvta_generic_to_shared(place));
}

/// One thread does this, for phases that end after @p arrivals arrivals.
__device__ inline void mbarrier_init(std::uint64_t* barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals)
               : "memory");
}

/// Behind the last mbarrier_init(), by the same thread: the units that copy, and the other blocks of a
/// cluster, see initialised mbarriers. The other threads do so behind a barrier.
__device__ inline void fence_mbarrier_init() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

__device__ inline void mbarrier_arrive(std::uint64_t* barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}

/// Arrives, and announces how many bytes copies will bring in this phase.
__device__ inline void mbarrier_arrive_expect_tx(std::uint64_t* barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
               "r"(bytes)
               : "memory");
}

/// Arrives at the mbarrier that lies at the same place in block @p rank of the cluster.
__device__ inline void mbarrier_arrive_at(std::uint64_t* barrier, int rank) {
  asm volatile(
      "{ .reg .b32 there;\n"
      "mapa.shared::cluster.u32 there, %0, %1;\n"
      "mbarrier.arrive.shared::cluster.b64 _, [there]; }" ::"r"(shared_address(barrier)),
      "r"(rank)
      : "memory");
}

/// Waits until the phase of this parity is over.
__device__ inline void mbarrier_wait(std::uint64_t* barrier, int parity) {
  asm volatile(
      "{ .reg .pred over;\n"
      "again: mbarrier.try_wait.parity.shared::cta.b64 over, [%0], %1;\n"
      "@!over bra again; }" ::"r"(shared_address(barrier)),
      "r"(parity)
      : "memory");
}

/// The block's number in its cluster.
__device__ inline int cluster_rank() {
  int rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

/// Waits for all threads of the cluster.
__device__ inline void cluster_sync() {
  asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
}
