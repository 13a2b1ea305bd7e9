// Races: two accesses to one word, at least one of them a write, that nothing orders.
//
// Happens-before by vector clocks, as in FastTrack (C. Flanagan, S. Freund, "FastTrack: Efficient and Precise
// Dynamic Race Detection", PLDI 2009): a word's shadow has the epoch of the last write and of the reads
// since, and two accesses race unless a chain of barriers, fences with atomics, or waits leads from one to
// the other. Warps and blocks are taken together where their barriers make one epoch for all of their
// threads.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "simulator/sanitizer/launch_context.h"
#include "simulator/sanitizer/race/race_findings.h"
#include "simulator/sanitizer/race/same_epoch.h"

namespace sim::sanitizer {

/// Finds races, values that are handed over by volatile accesses without a fence, and read-only loads of what
/// the kernel writes. Sees all synchronisation, and advances the context's happens-before order by it.
///
/// Keeps what strong writes released, by address; the groups of lanes that meet in the same bytes, by
/// instruction; and of each block what its volatile accesses hand over. The shadows are the context's.
class RaceDetector {
 public:
  explicit RaceDetector(LaunchContext& context) : context_(context), groups_(context.code().sources.size()) {}

  void block_starts(const Block& block);
  /// Its shared memory goes: what others do there must have happened before.
  void block_ends(Block& block);

  /// The shadow of what an access to shared or global memory accesses; none where no allocation is known.
  std::optional<WarpAccess> locate(Warp& w, const ObservedAccess& seen, u32 at);
  /// Enters the accesses that are ordered with all before them by barriers of the block and of the warp
  /// alone. A read of a word in shared memory that nobody has written since the block started is not among
  /// them.
  /// @return the other lanes, for check()
  Mask enter_same_epoch(const WarpAccess& a);
  /// Holds the accesses of some lanes against all earlier ones of the same words, and enters them.
  void check(const WarpAccess& a, Mask lanes);

  void warp_barrier(const Warp& w, Mask lanes);
  void fence(const Warp& w, const Instr& in);
  void arrives(const Warp& w, int barrier, u32 expected, bool waits);
  /// @return whether all threads of the block have waited there
  bool block_barrier(const Block& block, int barrier);
  void initialises_phase_barrier(const Warp& w, const Instr& in, const SharedPlace& at, int lane);
  void phase_barrier(const Warp& w, const Instr& in, const SharedPlace& at, int lane, u64 phase,
                     bool releases, bool acquires);
  void cluster_arrives(const Warp& w, bool releases);
  void cluster_barrier(const exec::Cluster& cluster);
  void cluster_waited(const Warp& w, Mask lanes);

  /// @param garbage  the copy brings what nobody has written
  void copies(Warp& w, const Instr& in, int lane, const SharedPlace& to, u32 bytes, bool garbage);
  void bulk_copies(Warp& w, const Instr& in, int lane, const SharedPlace& to, u32 bytes,
                   const SharedPlace& mbarrier, bool garbage);
  void bulk_reads(Warp& w, const Instr& in, int lane, const SharedPlace& from, u32 bytes);
  void bulk_writes(Warp& w, const Instr& in, int lane, u64 address, u32 bytes);
  void commits_bulk(const Warp& w);
  void waits_for_bulk(Warp& w, u32 pending, bool reads);
  void proxy_fence(const Warp& w);
  /// A warp's share of a product of its warpgroup. @param pieces  of 16 bytes, by offset in shared memory
  void product_reads(Warp& w, const Instr& in, std::span<const u32> pieces);
  void commits_products(const Warp& w);
  void waits_for_products(const Warp& w, u32 pending);
  void commits_copies(const Warp& w);
  void waits_for_copies(const Warp& w, u32 pending);
  void copies_arrive(const Warp& w, const SharedPlace& at, int lane);

 private:
  /// What volatile accesses of a block's threads hand over, fenced or not.
  struct VolatileOrder {
    explicit VolatileOrder(const Block&) {}
    /// All know what one of some threads has acquired. @param threads  of the block, from @p first on
    void share(u32 first, u32 threads);

    std::unordered_map<u64, Known> released;  ///< by offset in shared memory: what came before the last write
    std::vector<Known> acquired;  ///< by thread: what came before the writes that ended its waits; or empty
  };

  Mask enter_groups(const WarpAccess& a, const SameEpochCheck& look);
  /// One lane's access to some cells.
  struct LaneAccess {
    const WarpAccess& warp;
    int lane;
    u64 offset;  ///< in the shadow, bytes
    u32 who;     ///< thread of the grid
    u32 at;      ///< instruction and flags
    Epoch now;
    bool apart;        ///< readers are remembered by warp
    Epoch void_until;  ///< accesses up to then were to another block's memory at the same place

    bool in_block(u32 other) const {
      return warp.of_one_block || other - warp.block.first_thread < warp.block.threads;
    }
    /// Whether it is no race with an earlier access, since both are strong.
    bool strong_beside(const Earlier& e) const;
  };
  void touch(const WarpAccess& a, int lane);
  /// Holds it against the last write of a cell.
  /// @return whether it is an atomic that comes, unordered, behind one of another block
  SIM_INLINE bool check_last_write(const LaneAccess& a, u64 cell);
  SIM_INLINE void write_cell(const LaneAccess& a, u64 cell, const Earlier& readers, bool readers_before,
                             bool follows);
  SIM_INLINE void read_cell(const LaneAccess& a, u64 cell, const Earlier& readers, bool readers_before);
  /// Accesses to another block's shared memory: it must be there.
  void enter_remote(const WarpAccess& a);
  void found(const WarpAccess& a, u64 offset, int lane, const Earlier& e, bool earlier_writes);
  /// Which group the copy of a race is of, and how many the thread @p who has committed since.
  void note_group(Race& race, const WarpAccess& a, u64 offset, u32 who) const;
  bool stores_what_is_there(const WarpAccess& a, int lane, const Earlier& before) const;

  void synchronise(const WarpAccess& a, u64 address, int lane);
  /// A strong access by one lane hands on what lies behind it, fenced or not, to those who wait for it.
  void hand_over(const WarpAccess& a, u64 address, int lane);
  /// Whether the lane has waited for what the writer wrote later: it takes the two for ordered.
  bool relies_on_order(const WarpAccess& a, int lane, const Earlier& e);
  OtherParty writer(u32 thread_of_grid, u32 instruction) const;
  void found_unfenced(const WarpAccess& a, u64 offset, int lane, const Earlier& e);
  /// Reads by the cache that does not see the kernel's own stores.
  void check_read_only(const WarpAccess& a);
  /// Atomics and their like on the memory of another GPU: they have to be the system's, and so has a fence
  /// that orders others before them.
  void check_reach(const WarpAccess& a);

  ThreadEvent event(const Warp& w, const Instr& in, int lane);
  bool comes_behind(const Warp& w, int lane, const ThreadEvent& e);
  OtherParty party(const ThreadEvent& e, AccessKind does) const;
  /// fence.mbarrier_init
  void fences_initialisations(const Warp& w);
  /// A lane uses an mbarrier: it has to know of its initialisation.
  void check_initialisation(const Warp& w, const Instr& in, const SharedPlace& at, int lane);
  /// A lane arrives, or copies: the waits for the phase before that this comes behind are kept.
  void keep_waits(const Warp& w, int lane, PhaseOrder& phases);
  /// The phase under way has ended: waits for the one before have to be kept, or might have missed it.
  void check_missed_phases(const exec::Cluster& cluster, const SharedPlace& at, const PhaseOrder& phases);
  /// A lane arrives: it has to know that the phase before has ended, or its arrival might have counted there.
  void check_phase_of_arrival(const Warp& w, const Instr& in, const SharedPlace& at, int lane,
                              const PhaseOrder& phases);
  /// The wait of a thread, or of its warp, for the phase before the one under way.
  static std::optional<PassedWait> wait_of_warp(const PhaseOrder& phases, u32 thread);
  /// The same for the phase before that in which a copy brings a byte of shared memory.
  std::optional<PassedWait> wait_before_copy(const BlockOrder& owner, u64 offset, u32 thread) const;
  /// The block leaves while copies read its shared memory.
  void check_bulk_reads_at_end(const Block& block);

  /// Enters a copy's write, which is pending from then on.
  Copy enter_copy(Warp& w, const Instr& in, int lane, const SharedPlace& to, u32 bytes, bool garbage);
  /// The copy is done: its bytes are as if its thread had stored them.
  /// @param when  the epoch that counts as that of its stores; 0: the one already noted
  static void complete(const Copy& copy, u32 thread, Epoch when = 0);
  /// A write to shared memory that a bulk copy may still be reading.
  void check_bulk_reads(const WarpAccess& a);
  /// Ordinary stores that the asynchronous proxy reads, with no fence on the way.
  void check_proxy(Warp& w, const Instr& in, int lane, const SharedPlace& from, u32 bytes);
  /// Whether a fence between the proxies lies between a thread's store and what one of some lanes does now.
  bool fenced_for(const BlockOrder& b, u32 who, Epoch when, u32 warp, Mask lanes) const;
  /// @param cell  of shared memory
  void found_unfenced_proxy(Warp& w, const Instr& in, int lane, u64 cell, u32 who, u32 store);
  /// What a product reads has been stored, or copied, before. @return false when something has been found
  bool check_product_source(Warp& w, const Instr& in, u32 piece);
  /// A write to shared memory that a product may still be reading.
  void check_product_reads(const WarpAccess& a);
  void found_overwritten_factor(const WarpAccess& a, int lane, const ProductRead& read, bool waited);

  LaunchContext& context_;
  std::vector<std::unique_ptr<LaneGroups>> groups_;  ///< by instruction
  std::unordered_map<u64, Released> released_;       ///< by global address
  std::unordered_map<u64, Known>
      released_by_volatile_;  ///< by global address: what came before the last write
  PerBlock<VolatileOrder> volatile_order_;
  const PhaseOrder* copying_ = nullptr;  ///< of the bulk copy that is being entered: its mbarrier
  u64 bulk_writes_ = 0;                  ///< to global memory, under way
};

inline std::optional<WarpAccess> RaceDetector::locate(Warp& w, const ObservedAccess& seen, u32 at) {
  BlockOrder& block = context_.blocks.of(*w.block);
  const bool in_shared = seen.space == ptx::Space::shared;
  GlobalShadow* const global = in_shared ? nullptr : context_.globals.find(at, seen.first);
  if (!in_shared && global == nullptr) return std::nullopt;
  BlockOrder& owner = in_shared && &seen.owner != w.block ? context_.blocks.of(seen.owner) : block;
  Shadow& shadow = in_shared ? owner.shared : global->shadow;
  shadow.fit(seen.bytes);
  return WarpAccess{w,
                    seen,
                    at,
                    context_.analysis.semantics(at),
                    block,
                    block.warps[w.index],
                    block.first_thread + w.index * kLanes,
                    owner,
                    shadow,
                    in_shared ? 0 : global->base,
                    in_shared,
                    in_shared && !context_.clustered()};
}

}  // namespace sim::sanitizer
