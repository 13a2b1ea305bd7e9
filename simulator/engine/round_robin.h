// Blocks that take turns on one host thread, in one order: for kernels whose blocks communicate.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "simulator/engine/block.h"

namespace sim::exec {

inline constexpr int kPatience = 64;  ///< rounds without a block that ends before another block is let in

/// A block that uses up its slice is put aside and goes on in the next round. Further blocks start when those
/// at hand only spin, waiting for somebody, so that producers, consumers and grid-wide barriers come to their
/// end; as many as a GPU would hold at once.
class RoundRobinScheduler {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// @param nth     of the order's n-th block its number in the grid
  /// @param blocks  how many there are
  /// @param room    how many of them a GPU would hold at once
  RoundRobinScheduler(Worker& worker, std::function<u64(u64)> nth, u64 blocks, u64 room);

  /// Runs until all blocks have ended. Where Launch::may_wait says so, also until they only look at memory
  /// that somebody outside may write.
  /// @param until   after which it stops, too
  /// @param counts  whether what the blocks issue counts towards Launch::instruction_limit
  /// @return whether all have ended
  /// @throws Fault
  bool go_on(Time until = Time::max(), bool counts = true);
  /// Whether it stopped because they only look.
  bool waits() const { return waits_; }

 private:
  bool round(bool counts);
  u64 let_in();
  bool run(Block& block, bool counts);
  u64 looks() const;

  Worker& worker_;
  std::function<u64(u64)> nth_;
  const u64 blocks_, room_;
  std::vector<u32> watching_;  ///< basic blocks that look at what others may write
  std::deque<std::unique_ptr<Block>> resident_;
  std::vector<std::unique_ptr<Block>> idle_;
  u64 next_ = 0;
  s64 slice_ = Block::kSlice;
  int stalled_ = 0;  ///< rounds in which no block has ended
  bool waits_ = false;
  bool watched_ = false;  ///< in this round every block has looked at such memory
};

/// Whether it looks at global memory that others may write meanwhile.
bool looks_at_others(const ptx::Instruction& in);

}  // namespace sim::exec
