// The time model: what a launch would take on a GPU, from its counters. Always "modelled", never "measured".
#pragma once

#include "simulator/exec/launch.h"
#include "simulator/model/gpu.h"

namespace sim::model {

/// Blocks of one kernel that an SM holds at a time, and what stops it from holding more.
struct Occupancy {
  int blocks_per_sm = 0;
  int warps_per_sm = 0;
  const char* limiter = "";  ///< "threads", "blocks", "registers", "shared memory"
};

/// @param registers     per thread
/// @param shared_bytes  static and dynamic, per block
/// @param block_threads threads of a block
Occupancy occupancy(const Gpu& gpu, std::uint32_t registers, std::uint32_t shared_bytes,
                    std::uint32_t block_threads);

struct Estimate {
  double ns = 0;
  const char* bound =
      "";  ///< what takes longest: "launch", "issue", "shared wavefronts", "L2", "DRAM", "latency", "atomics"
};

/// Time from a launch's start on the device to its end.
/// @param footprint_bytes size of the buffers that the kernel was given: DRAM need not move more than that
/// each way.
///                        0: unknown
Estimate estimate(const Gpu& gpu, const exec::KernelFacts& kernel, const exec::Launch& launch,
                  const exec::LaunchResult& result, double footprint_bytes);

}  // namespace sim::model
