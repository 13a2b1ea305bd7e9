// What bulk copies share, with a tensor map or without: pieces of memory that one lane has moved.
#pragma once

#include "simulator/engine/access/access.h"
#include "simulator/engine/phase_barrier.h"
#include "simulator/instructions/memory/reduction.h"

namespace sim::exec {

inline constexpr u32 kBulkGranule = 16;  ///< what addresses and sizes are multiples of

/// One lane's bulk copy.
class BulkTransfer {
 public:
  BulkTransfer(Warp& w, const Instr& in, int lane) : w_(w), in_(in), lane_(lane) {}

  /// Host bytes of a piece that is read, told to the observer. @throws Fault where it is not there
  const std::byte* read_global(u64 address, u32 bytes);
  /// The same of a piece that a bulk group reads until it has been waited for.
  const std::byte* read_shared(u64 address, u32 bytes, bool in_group);
  /// Host bytes of a piece that is written or updated. Whoever reads it has to wait for the lane's bulk
  /// group.
  std::byte* write_global(u64 address, u32 bytes, Access kind);
  /// The same in shared memory. Whoever reads it has to wait for the mbarrier.
  std::byte* write_shared(const SharedPlace& to, u32 bytes, const SharedPlace& mbarrier);

  /// A place in shared memory of the cluster. @throws Fault where there is none
  SharedPlace place(u64 address, u32 bytes, Access kind);
  /// An mbarrier.
  SharedPlace mbarrier(u64 address) { return place(address, sizeof(PhaseBarrier), Access::atomic); }
  /// Counts one request with these bytes of global memory.
  void count_load(u64 address, u32 bytes);
  void count_store(u64 address, u32 bytes);

 private:
  u32 count(u64 address, u32 bytes);  ///< @return sectors
  std::byte* whole(ptx::Space space, u64 address, u32 bytes, u32 granule, Access kind);

  Warp& w_;
  const Instr& in_;
  int lane_;
};

/// Calls @p act(place, mbarrier) for each block that a copy goes to: without multicast that of the addresses,
/// else the same places in the blocks of the mask. @throws Fault where the mask names one that is not there
template <class Act>
void each_target(Warp& w, const Instr& in, int lane, bool multicast, u32 blocks, const SharedPlace& to,
                 const SharedPlace& mbarrier, Act act) {
  if (!multicast) return act(to, mbarrier);
  const Cluster& cluster = *w.block->cluster;
  for (u32 rank = 0; blocks >> rank != 0; ++rank) {
    if ((blocks >> rank & 1) == 0) continue;
    if (rank >= cluster.size()) {
      fail(w, in, lane, FindingKind::out_of_bounds,
           Message("The copy goes to the block of rank {} of its cluster, which has {} blocks.", rank,
                   cluster.size()),
           {.space = MemorySpace::shared, .access = AccessKind::write});
    }
    Block& block = cluster.block(rank);
    if (block.ended) {
      fail(w, in, lane, FindingKind::use_after_free,
           Message("The copy goes to the block of rank {}, all of whose threads have left.", rank),
           {.space = MemorySpace::shared, .access = AccessKind::write, .cure = Cure::cluster_barrier_at_end});
    }
    act(SharedPlace{&block, to.offset}, SharedPlace{&block, mbarrier.offset});
  }
}

}  // namespace sim::exec
