// Finds what is wrong with a launch while it runs: races by happens-before, reads of what nobody wrote,
// accesses beyond the variable they were meant for, barriers and masks that not all threads keep to.
#pragma once

#include <chrono>
#include <memory>
#include <unordered_map>
#include <vector>

#include "simulator/engine/observer.h"
#include "simulator/sanitizer/bounds/store_counts.h"
#include "simulator/sanitizer/examine.h"
#include "simulator/sanitizer/finding_collector.h"
#include "simulator/sanitizer/plan.h"
#include "simulator/sanitizer/race/happens_before.h"
#include "simulator/sanitizer/race/same_epoch.h"
#include "simulator/sanitizer/uninit/taint.h"
#include "simulator/sanitizer/uninit/written.h"

namespace sim::sanitizer {

/// Watches one launch.
class Watch : public exec::Observer {
 public:
  /// @param written  which bytes of global memory have been written; null: all
  Watch(const Plan& plan, const exec::Launch& launch, memory::AddressSpace& space, Written* written);
  ~Watch() override;

  /// The launch ends when this moment has passed, however far it came.
  void stop_at(std::chrono::steady_clock::time_point moment) { deadline_ = moment; }
  bool stopped() const { return stopped_; }

  /// Counts the stores to each element from here on.
  void count_stores() { stores_.emplace(); }

  /// What was found, folded; to be called once, after the launch.
  std::vector<Finding> take();

  /// What was touched, in runs of bytes.
  std::vector<Touched> touched() const;

  void block_starts(Block& block) override;
  void block_ends(Block& block) override;
  void access(Warp& w, const Seen& seen) override;
  void step(Warp& w, const Instr& in) override { doubts_.step(w, in); }
  bool forgives(const Fault& fault) override;
  void warp_barrier(const Warp& w, Mask lanes) override;
  void arrives(const Warp& w, const Instr& in, int barrier, u32 expected, bool waits) override;
  void block_barrier(Block& block, int barrier) override;
  void exits(const Warp& w, Mask lanes) override;
  void fence(const Warp& w, const Instr& in) override;
  void meets(Warp& w, const Instr& in, Mask lanes, Mask named) override;
  void asks_who_is_here(const Warp& w) override;
  void phase_barrier(const Warp& w, u32 offset, int lane, bool releases, bool acquires) override;
  void waits_for_copies(const Warp& w, u32 pending) override;
  void copies_arrive(const Warp& w, u32 offset, int lane) override;
  void commits_copies(const Warp& w) override;
  void copies(Warp& w, const Instr& in, int lane, u32 offset, u32 bytes) override;

 private:
  struct GlobalShadow;
  struct BlockState;
  struct Actor;
  struct Place;

  BlockState& state_of(const Block& block);
  GlobalShadow* global(u32 instruction, u64 address);
  /// Whether the lanes stay inside the variable in shared memory that they mean.
  void check_shared(Warp& w, const Seen& seen, u32 at);
  /// The same in local memory. @return the lanes that do not
  Mask check_local(Warp& w, const Seen& seen, u32 at);
  /// Whether they stay inside the buffer of the kernel's parameter that their addresses are made from.
  void check_parameter(Warp& w, const Seen& seen, u32 at);
  /// A finding about an access outside its variable; null when it is known.
  Finding* outside(Warp& w, const Seen& seen, u32 at, int lane);
  void race_check(Warp& w, const Seen& seen, u32 at, const MemorySemantics& semantics);
  Mask glance(const Actor& a, const Place& p, const SameEpochCheck& look);
  /// One lane's access to some cells.
  void touch(const Actor& a, const Place& p, u64 offset, int lane);
  void race(const Actor& a, const Place& p, u64 offset, int lane, bool writes, const Earlier& e,
            bool earlier_writes);
  /// What a finding accesses, and how.
  void describe_place(Finding& f, const Place& p, u64 offset) const;
  void shuffle_source(Warp& w, const Instr& in, Mask lanes, Mask named);
  /// A shuffle among those who happen to be here, after the warp's lanes have parted.
  void shuffle_by_chance(const Warp& w, const Instr& in, Mask lanes, Mask named);
  /// A strong access by one lane hands on what lies behind it, fenced or not, to those who wait for it.
  void pass_on(const Actor& a, const Place& p, u64 key, int lane);
  /// Whether the lane has waited for what the writer wrote later: it takes the two for ordered.
  bool counts_on_order(const Actor& a, const Place& p, int lane, const Earlier& e) const;
  void unfenced(const Actor& a, const Place& p, u64 offset, int lane, const Earlier& e);
  /// Reads by the cache that is not told of the kernel's own stores.
  void check_read_only(const Actor& a, const Place& p);
  void global_written(Warp& w, const Seen& seen, u32 at);
  /// The place of a lane's bytes among the local memories of the block.
  u64 local_place(const Warp& w, const Seen& seen, int lane) const;
  /// @param outside  lanes that miss the variable they mean
  void local_written(Warp& w, const Seen& seen, Mask outside);
  void shared_unwritten(const Actor& a, const Place& p);
  /// What was doubtful stays so in shared memory.
  void shared_stored(Warp& w, const Seen& seen);
  /// The lanes, of @p lanes, that read what was doubtful when it was stored.
  Mask handed_on(Warp& w, const Seen& seen, u32 element, u32 bytes, Mask lanes);
  /// @param unwritten(lane, element, bytes of it)  whether nobody wrote it
  template <class F>
  void doubt(Warp& w, const Seen& seen, F unwritten);
  /// Whether an asynchronous copy brought a byte of shared memory from where nobody had written.
  bool copied_garbage_at(const Warp& w, u64 offset) const;
  Finding unwritten_finding(const Warp& w, const Seen& seen, int lane, u64 offset) const;
  void synchronise(const Actor& a, const Place& p, u64 address, int lane);
  bool stores_what_is_there(const Actor& a, const Place& p, int lane, const Earlier& before) const;

  const Plan& plan_;
  const exec::Launch& launch_;
  memory::AddressSpace& space_;
  HappensBefore order_;
  FindingCollector collector_;
  Taint doubts_;
  Written* written_;
  std::unordered_map<const Block*, std::unique_ptr<BlockState>> blocks_;
  const Block* last_block_ = nullptr;
  BlockState* last_state_ = nullptr;
  std::unordered_map<u64, std::unique_ptr<GlobalShadow>> globals_;
  std::vector<GlobalShadow*> global_of_instruction_;
  std::vector<std::unique_ptr<Groups>> groups_;  ///< by instruction
  std::unordered_map<u64, Released> released_;   ///< by global address
  std::unordered_map<u64, Known> behind_;        ///< strong writes, by global address: what came before them
  u64 forgiven_ = 0;
  Mask uncopied_ = 0;    ///< lanes whose asynchronous copy, now under way, brings what nobody has written
  bool spoilt_ = false;  ///< a store did not take place
  std::chrono::steady_clock::time_point deadline_ = std::chrono::steady_clock::time_point::max();
  std::optional<StoreCounts> stores_;
  u32 accesses_ = 0;
  bool stopped_ = false;
};

}  // namespace sim::sanitizer
