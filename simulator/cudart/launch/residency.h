// Whether a kernel's blocks wait for blocks that need not be there.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "simulator/engine/launch.h"

namespace sim::cudart {

/// A launch once more in a copy of the process, where the GPU holds few blocks at a time
/// (LADDER_SIM_RESIDENT_BLOCKS; not set: no launch is checked). Blocks start in their order, and the next one
/// when one has ended, as CUDA allows: only a cooperative launch promises that all are there together.
class Residency {
 public:
  virtual ~Residency() = default;
  /// Waits for the copy.
  /// @param issued  warp instructions of the launch itself, which has ended
  /// @return a finding where it came to its end only because it had more blocks at a time
  virtual std::vector<Finding> finish(std::uint64_t issued) = 0;
};

/// @return null where the blocks don't communicate, or when launches like this one have been looked at
std::unique_ptr<Residency> start_residency(const exec::LoadedModule::Program& program,
                                           const exec::KernelFacts& facts, const exec::Launch& what);

}  // namespace sim::cudart
