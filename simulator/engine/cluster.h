// A thread block cluster: blocks that are on the GPU together, wait for each other at a barrier, and reach
// each other's shared memory. A launch without clusters runs in clusters of one block.
#pragma once

#include <memory>
#include <vector>

#include "simulator/engine/block.h"

namespace sim::exec {

/// A shared::cluster address is the rank of a block, plus one, times this, plus an offset in that block's
/// shared memory. What lies below are addresses of the thread's own block (shared::cta).
inline constexpr u64 kRankStride = u64{8} << 20;

/// Blocks of the largest cluster, which a kernel has to ask for.
inline constexpr u32 kMostClusterBlocks = 16;

/// A byte of shared memory: whose, and where.
struct SharedPlace {
  Block* owner = nullptr;  ///< null: no block of the cluster has that rank
  u64 offset = 0;
};

/// Blocks of a launch's cluster.
inline u32 blocks_of_cluster(const Launch& launch) {
  return launch.cluster[0] * launch.cluster[1] * launch.cluster[2];
}

class Cluster {
 public:
  explicit Cluster(Worker& worker);

  /// Makes this the cluster of the grid with the given linear index.
  void start(u64 index);
  /// Runs until all threads have exited, or until the blocks have used up their slices.
  /// @param weight  with which what the blocks issue counts towards Launch::instruction_limit
  /// @throws Fault
  Block::Progress run(s64 slice = Block::kSlice, u64 weight = 1);

  u32 size() const { return u32(blocks_.size()); }
  Block& block(u32 rank) const { return *blocks_[rank]; }

  /// The running split's lanes arrive at barrier.cluster. @throws Fault where one has arrived and not waited
  void arrive(Warp& w, const Instr& in, bool releases);
  /// They wait there: those whose turn is not complete are suspended at basic block @p pc.
  /// @throws Fault where one has not arrived
  void wait(Warp& w, const Instr& in, bool acquires, u32 pc);
  /// Lanes of a warp have exited: the barrier may be complete.
  void left(Warp& w, Mask lanes) {
    live_ -= u32(lane_count(lanes));
    if (arrived_ != 0) left_barrier(w, lanes);
  }

  /// What an address in the shared window (without the window's base) means for a thread of @p from.
  SharedPlace at(Block& from, u64 address) const;
  /// Whether it lies in a block that has left, and the launch drops what is stored there.
  bool drops_store_at(Block& from, u64 address) const {
    const SharedPlace place = at(from, address);
    return from.worker->launch.drops_lost_stores && place.owner != nullptr && place.owner->ended;
  }
  /// Where bytes of some block's shared memory lie; an owner of null when they are in none.
  SharedPlace place_of(const std::byte* host) const;

 private:
  /// Where Launch::trace is set and one of the blocks is the grid's middle one, its steps are recorded.
  void record_example();
  void left_barrier(Warp& w, Mask lanes);
  void complete();
  bool time_out();

  std::vector<std::unique_ptr<Block>> blocks_;  ///< by rank
  u32 live_ = 0;                                ///< threads that have not exited
  u32 arrived_ = 0;                             ///< of them, at the barrier's present turn
  int time_outs_ = 0;                           ///< since something was written last
  u64 writes_ = 0;                              ///< Worker::writes at the last one
};

}  // namespace sim::exec
