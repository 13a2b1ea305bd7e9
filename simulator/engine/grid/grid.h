// A grid that runs: its clusters (mostly of one block) over host threads where their order cannot matter, in
// one fixed order where it can.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "simulator/decode/program.h"
#include "simulator/engine/cluster.h"
#include "simulator/engine/grid/round_robin.h"
#include "simulator/engine/grid/selection.h"
#include "simulator/engine/grid/shuffle.h"

namespace sim::exec {

class Grid {
 public:
  /// @param launch  stays where it is
  Grid(const LoadedModule::Program& program, const Launch& launch, memory::AddressSpace& space);

  /// Runs until the end, or as RoundRobinScheduler::resume says. @return whether it has ended
  bool resume(RoundRobinScheduler::Time until = RoundRobinScheduler::Time::max(), u64 weight = 1);
  bool is_blocked() const { return round_robin_ && round_robin_->is_blocked(); }
  /// What the launch that has ended cost. @throws Fault when it failed
  LaunchResult outcome() const;

 private:
  /// Clusters [first, end) of the order.
  struct ClusterRange {
    u64 first, end;
  };
  /// A cluster that may wait for one that has not begun.
  struct SuspendedCluster {
    u64 n;  ///< of the order
    std::unique_ptr<Cluster> cluster;
  };

  void start_workers();
  bool is_small() const;
  u64 resident_clusters() const;
  u64 nth(u64 n) const;
  ClusterRange take_range();
  void run_side_by_side(Worker& worker);
  void run_suspended(std::deque<SuspendedCluster>& suspended);
  template <class Work>
  void catching(u64 n, Work work);
  void note(u64 n, const Fault& fault);

  const Code& code_;
  std::atomic<u64>& instructions_per_block_;
  const Launch& launch_;
  memory::AddressSpace& space_;
  const BlockSelection selection_ = block_selection();  ///< as it was when the launch began
  const std::vector<u64> chosen_;                       ///< clusters, where not all are to run
  const u64 all_clusters_, clusters_;                   ///< of the grid; to run
  const Shuffle order_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::optional<RoundRobinScheduler> round_robin_;
  std::atomic<u64> next_{0}, first_fault_;  ///< clusters of the order
  std::mutex lock_;
  std::optional<Fault> fault_;
};

}  // namespace sim::exec
