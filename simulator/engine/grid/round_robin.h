// Round-robin scheduling of clusters (mostly of one block) on one host thread, in one order: for kernels
// whose blocks communicate.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "simulator/engine/cluster.h"

namespace sim::exec {

inline constexpr int kPatience = 64;  ///< rounds without a cluster that ends before another is started

/// A cluster that uses up its slice is suspended and resumed in the next round. Further ones start when the
/// resident ones only spin, waiting for others, so that producers, consumers and grid-wide barriers come to
/// their end; as many as a GPU would hold at once.
///
/// With a seed (Launch::schedule_seed) several start at once, and each runs for a few instructions or for
/// many by turns: a block then looks at what another is about to publish, as it does on a GPU, and a look
/// that should have waited finds nothing.
class RoundRobinScheduler {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// @param nth     of the order's n-th cluster its number in the grid
  /// @param clusters  how many there are
  /// @param most_resident  how many of them a GPU would hold at once
  RoundRobinScheduler(Worker& worker, std::function<u64(u64)> nth, u64 clusters, u64 most_resident);

  /// Runs until all have ended. Where Launch::may_wait says so, also until they only poll memory
  /// that the host or another stream may write.
  /// @param until   after which it stops, too
  /// @param weight  with which what the blocks issue counts towards Launch::instruction_limit
  /// @return whether all have ended
  /// @throws Fault
  bool resume(Time until = Time::max(), u64 weight = 1);
  /// Whether it stopped because they only poll.
  bool is_blocked() const { return blocked_; }
  /// Whether it ever was: how often its loops have polled is then the host's doing.
  bool was_blocked() const { return was_blocked_; }

 private:
  bool round(u64 weight);
  u64 start_clusters();
  bool run(Cluster& cluster, u64 weight);
  s64 next_slice();
  u64 polls() const;

  Worker& worker_;
  std::function<u64(u64)> nth_;
  const u64 clusters_, most_resident_;
  u64 random_;                       ///< state of the generator; 0: the usual slices
  std::vector<u32> polling_blocks_;  ///< basic blocks that read what others may write
  std::deque<std::unique_ptr<Cluster>> resident_;
  std::vector<std::unique_ptr<Cluster>> idle_;
  u64 next_ = 0;
  s64 slice_ = Block::kSlice;
  int stalled_ = 0;      ///< rounds in which none has ended
  int idle_rounds_ = 0;  ///< in which nothing was written, too
  bool blocked_ = false, was_blocked_ = false;
  bool all_poll_ = false;  ///< in this round every cluster has run one of these
};

/// Whether it loads from global memory what others may write meanwhile.
bool polls_memory(const ptx::Instruction& in);

}  // namespace sim::exec
