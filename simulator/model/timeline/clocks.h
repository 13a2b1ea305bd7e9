// How long each recorded step takes.
#pragma once

#include "simulator/engine/timeline/recording.h"
#include "simulator/model/bounds.h"

namespace sim::model {

/// Partitions of an SM: each has a tensor core, and every fourth warp of a block.
inline constexpr std::size_t kPartitions = 4;

/// Clocks of one launch's steps. Those of copies are until the unit takes the next one; a copy arrives by its
/// latency later.
class StepClocks {
 public:
  explicit StepClocks(const BoundInputs& in);

  /// An ordinary load of global memory, that is waited for; the latency of cp.async, too.
  double load() const { return load_; }
  /// A warp's own work, when nothing else runs.
  double work(const exec::Step& s) const;
  double lane_copies(const exec::Step& s) const;
  double bulk_load(const exec::Step& s) const;
  double bulk_latency() const { return gpu_.bulk_clocks; }
  double bulk_store(const exec::Step& s) const;
  /// A warp's quarter of a wgmma, on its partition.
  double product(const exec::Step& s) const;
  /// mma.sync, on the warp's partition.
  double multiply(const exec::Step& s) const;
  double ns(double clocks) const { return clocks / gpu_.clock_ghz; }

 private:
  const Gpu& gpu_;
  const Tuning& tuning_;
  double load_;
  double memory_per_byte_ = 0;  ///< while all SMs move as much as L2 and DRAM let them
};

}  // namespace sim::model
