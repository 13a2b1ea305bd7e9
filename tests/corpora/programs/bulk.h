// What programs with bulk copies and mbarriers share: the instructions, by the names that PTX gives them.
#pragma once

#include <cstdint>

__device__ inline std::uint32_t shared_address(const void* p) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(p));
}

__device__ inline void mbarrier_init(std::uint64_t* b, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(b)), "r"(arrivals) : "memory");
}
__device__ inline void fence_mbarrier_init() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
__device__ inline void mbarrier_arrive(std::uint64_t* b) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(b)) : "memory");
}
/// Arrives, and is counted in no further phase.
__device__ inline void mbarrier_arrive_drop(std::uint64_t* b) {
  asm volatile("mbarrier.arrive_drop.shared::cta.b64 _, [%0];" ::"r"(shared_address(b)) : "memory");
}
/// Arrives at the mbarrier of another block of the cluster.
__device__ inline void mbarrier_arrive_at(std::uint64_t* b, int rank) {
  asm volatile(
      "{ .reg .b32 there;\n"
      "mapa.shared::cluster.u32 there, %0, %1;\n"
      "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there]; }" ::"r"(shared_address(b)),
      "r"(rank)
      : "memory");
}
/// Arrives, and announces bytes.
__device__ inline void mbarrier_expect(std::uint64_t* b, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(b)), "r"(bytes)
               : "memory");
}
__device__ inline void mbarrier_wait(std::uint64_t* b, int parity) {
  asm volatile(
      "{ .reg .pred over;\n"
      "again: mbarrier.try_wait.parity.shared::cta.b64 over, [%0], %1;\n"
      "@!over bra again; }" ::"r"(shared_address(b)),
      "r"(parity)
      : "memory");
}

/// The same, for what other blocks of the cluster have stored.
__device__ inline void mbarrier_wait_cluster(std::uint64_t* b, int parity) {
  asm volatile(
      "{ .reg .pred over;\n"
      "again: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 over, [%0], %1;\n"
      "@!over bra again; }" ::"r"(shared_address(b)),
      "r"(parity)
      : "memory");
}
/// Looks once.
__device__ inline bool mbarrier_test(std::uint64_t* b, int parity) {
  int over;
  asm volatile(
      "{ .reg .pred over;\n"
      "mbarrier.test_wait.parity.shared::cta.b64 over, [%1], %2;\n"
      "selp.s32 %0, 1, 0, over; }"
      : "=r"(over)
      : "r"(shared_address(b)), "r"(parity)
      : "memory");
  return over != 0;
}

__device__ inline void fence_proxy() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

/// Global to shared memory, counted at an mbarrier.
__device__ inline void bulk_load(void* to, const void* from, int bytes, std::uint64_t* b) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
          shared_address(to)),
      "l"(from), "r"(bytes), "r"(shared_address(b))
      : "memory");
}
/// The same into the blocks of a mask, at the same place and counted at the same mbarrier of each.
__device__ inline void bulk_load_multicast(void* to, const void* from, int bytes, std::uint64_t* b,
                                           std::uint16_t blocks) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, "
      "[%3], "
      "%4;" ::"r"(shared_address(to)),
      "l"(from), "r"(bytes), "r"(shared_address(b)), "h"(blocks)
      : "memory");
}
/// Shared memory to the same place of another block of the cluster, counted at an mbarrier there.
__device__ inline void bulk_copy_to(void* to, const void* from, int bytes, std::uint64_t* b, int rank) {
  asm volatile(
      "{ .reg .b32 there, counted;\n"
      "mapa.shared::cluster.u32 there, %0, %4;\n"
      "mapa.shared::cluster.u32 counted, %3, %4;\n"
      "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [there], [%1], %2, [counted]; "
      "}" ::"r"(shared_address(to)),
      "r"(shared_address(from)), "r"(bytes), "r"(shared_address(b)), "r"(rank)
      : "memory");
}
/// Shared to global memory, in the thread's open bulk group.
__device__ inline void bulk_store(void* to, const void* from, int bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),
               "r"(shared_address(from)), "r"(bytes)
               : "memory");
}
/// The same, added to the words that are there.
__device__ inline void bulk_add(int* to, const int* from, int bytes) {
  asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 [%0], [%1], %2;" ::"l"(to),
               "r"(shared_address(from)), "r"(bytes)
               : "memory");
}
__device__ inline void bulk_commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
/// The source of all but the last groups may be overwritten.
template <int kPending>
__device__ inline void bulk_wait_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(kPending) : "memory");
}
template <int kPending>
__device__ inline void bulk_wait() {
  asm volatile("cp.async.bulk.wait_group %0;" ::"n"(kPending) : "memory");
}

__device__ inline void cluster_arrive() { asm volatile("barrier.cluster.arrive;" ::: "memory"); }
__device__ inline void cluster_arrive_relaxed() {
  asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
}
__device__ inline void cluster_wait() { asm volatile("barrier.cluster.wait;" ::: "memory"); }
