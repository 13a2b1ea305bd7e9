// Events that the engine reports to the sanitizer: accesses, barriers, fences, calls.
#pragma once

#include <array>
#include <span>

#include "simulator/engine/access/site.h"
#include "simulator/engine/cluster.h"
#include "simulator/memory/tensor_map.h"

namespace sim::exec {

enum class Access : u8 { read, write, atomic };

/// The values of a store: what each lane is about to write.
struct StoredValues {
  const std::byte* const* columns = nullptr;  ///< by vector element: 32 lanes of a register; null: not known
  u32 register_bytes = 0;                     ///< of one lane in a column
  u32 element_bytes = 0;                      ///< of one element in memory
};

/// One warp-wide access to memory that is about to happen. All of it is in bounds.
struct ObservedAccess {
  const Instr& in;
  Access kind;
  ptx::Space space;              ///< global, shared, local or constant
  u64 first;                     ///< address of the first active lane, in that space
  const AccessPattern& pattern;  ///< the lanes' offsets from it
  u32 bytes;                     ///< of one lane
  std::byte* host;      ///< bytes behind `first`; lane i's are at host + offset[i], except for local memory
  Block& owner;         ///< of shared memory: whose it is
  StoredValues values;  ///< of stores
  int element = -1;     ///< of matrix loads: which of the registers the bytes go to; -1: all, in order
};

/// A factor of a product of a warpgroup that lies in shared memory.
struct ProductFactor {
  u64 descriptor = 0;
  u32 rows = 0;   ///< of A its 64, of B the columns of the sums
  u32 steps = 0;  ///< along k
  u32 step_bytes = 0;
  bool across = false;  ///< MN-major
  bool right = false;   ///< B
};

/// Sees a launch whose blocks share one host thread. Absent in a plain run, which then pays one predictable
/// test per access.
class Observer {
 public:
  virtual ~Observer() = default;

  virtual void block_starts(Block& block) = 0;
  virtual void block_ends(Block& block) = 0;

  virtual void access(Warp& w, const ObservedAccess& seen) = 0;
  /// An instruction that is about to run, of a warp that is tainted or followed.
  virtual void step(Warp& w, const Instr& in) = 0;
  /// An access that cannot be performed is recorded. @return whether the lane continues without it
  virtual bool suppresses(const Fault& fault) = 0;

  /// Lanes of a warp have converged at a bar.warp.sync; those that have exited are not among them.
  virtual void warp_barrier(const Warp& w, Mask lanes) = 0;
  /// The running split's lanes arrive at a barrier of the block.
  virtual void arrives(const Warp& w, const Instr& in, int barrier, u32 expected, bool waits) = 0;
  /// A barrier of the block is complete; its waiting splits have not gone on yet.
  virtual void block_barrier(Block& block, int barrier) = 0;
  /// The running split's lanes arrive at the cluster's barrier.
  /// @param releases  not so where the program says .relaxed
  virtual void cluster_arrives(const Warp& w, bool releases) = 0;
  /// All threads of the cluster have arrived there; nobody has gone on yet.
  virtual void cluster_barrier(const Cluster& cluster) = 0;
  /// Lanes have waited there and go on.
  virtual void cluster_waited(const Warp& w, Mask lanes) = 0;
  /// Lanes have exited. A barrier that waits for all threads may become complete by it.
  virtual void exits(const Warp& w, Mask lanes) = 0;
  /// The running split's lanes pass a fence.
  virtual void fence(const Warp& w, const Instr& in) = 0;
  /// Lanes have converged at a warp-level primitive (shuffle, vote, match, reduction); its mask is @p named.
  virtual void warp_primitive(Warp& w, const Instr& in, Mask lanes, Mask named) = 0;
  /// The running split's lanes execute __activemask().
  virtual void reads_active_mask(const Warp& w) = 0;
  /// An operation on an mbarrier in shared memory by one lane.
  /// @param phase     how many phases had ended before the operation
  /// @param acquires  whether the lane waited for it and now goes on
  virtual void phase_barrier(const Warp& w, const Instr& in, const SharedPlace& at, int lane, u64 phase,
                             bool releases, bool acquires) = 0;
  /// One lane initialises an mbarrier.
  virtual void initialises_phase_barrier(const Warp& w, const Instr& in, const SharedPlace& at, int lane) = 0;
  /// The running split's lanes wait until at most @p pending groups of their asynchronous
  /// copies are under way.
  virtual void waits_for_copies(const Warp& w, u32 pending) = 0;
  /// One lane's copies so far will arrive at an mbarrier when they are done.
  virtual void copies_arrive(const Warp& w, const SharedPlace& at, int lane) = 0;
  virtual void commits_copies(const Warp& w) = 0;
  /// One lane's bulk copy into shared memory, which is done when a phase of the mbarrier ends.
  virtual void bulk_copies(Warp& w, const Instr& in, int lane, const SharedPlace& to, u32 bytes,
                           const SharedPlace& mbarrier) = 0;
  /// One lane's bulk copy out of shared memory reads there until its group has been waited for ...
  virtual void bulk_reads(Warp& w, const Instr& in, int lane, const SharedPlace& from, u32 bytes) = 0;
  /// ... and writes global memory.
  virtual void bulk_writes(Warp& w, const Instr& in, int lane, u64 address, u32 bytes) = 0;
  /// Of a copy by a tensor map, before its other events: which box lies at a place of shared memory, or comes
  /// there (and, of a multicast, to the same place of other blocks).
  /// @param origin  coordinates of the box's first element
  virtual void moves_box(const Warp& w, const Instr& in, const SharedPlace& at, const memory::TensorMap& map,
                         const std::array<s32, memory::TensorMap::kMostAxes>& origin) = 0;
  virtual void commits_bulk(const Warp& w) = 0;
  /// The running split's lanes wait until at most @p pending of their bulk groups are under way, or still
  /// read.
  virtual void waits_for_bulk(Warp& w, u32 pending, bool reads) = 0;
  /// They pass a fence between the generic and the asynchronous proxy.
  virtual void proxy_fence(const Warp& w) = 0;
  /// A warp's share of a product of its warpgroup reads pieces of 16 bytes of shared memory, until its group
  /// has been waited for.
  virtual void product_reads(Warp& w, const Instr& in, std::span<const u32> pieces) = 0;
  /// The same product's factors, once for all of its warps.
  virtual void product_factors(Warp& w, const Instr& in, std::span<const ProductFactor> factors) = 0;
  virtual void commits_products(const Warp& w) = 0;
  virtual void waits_for_products(const Warp& w, u32 pending) = 0;
  /// A warp asks for another number of registers for each of its threads. @param more  by setmaxnreg.inc
  virtual void sets_registers(const Warp& w, const Instr& in, u32 count, bool more) = 0;
  /// One lane's asynchronous copy into shared memory.
  virtual void copies(Warp& w, const Instr& in, int lane, u32 offset, u32 bytes) = 0;
};

}  // namespace sim::exec
