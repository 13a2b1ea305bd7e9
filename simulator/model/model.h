// The time model: what a launch would take on a GPU, from its counters. Always "modelled", never "measured".
#pragma once

#include "simulator/engine/launch.h"
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

/// What no vendor tells and no single experiment shows: fitted to the measured times of the lessons' rungs
/// (tests/simulator/model/model_table.cpp, which also fits to all ladders but one and looks at that one).
struct Tuning {
  double clocks_per_sass_instruction =
      1.11;                     ///< a scheduler needs for an instruction: not in each of them is one ready
  double partial_store = 4.59;  ///< more, for bytes of sectors that are written in pieces
  double l1_hits = 0.693;       ///< share of repeated sector reads that L1 serves
  double overlap = 2.98;  ///< exponent of the norm of the bounds: 1 adds them up, infinity takes the largest
};

struct Estimate {
  double ns = 0;
  const char* bound = "";  ///< what takes longest: "launch", "issue", "shared wavefronts", "L1", "L2",
                           ///< "DRAM", "latency", "atomics"
};

/// Time from a launch's start on the device to its end.
Estimate estimate(const Gpu& gpu, const exec::KernelFacts& kernel, const exec::Launch& launch,
                  const exec::LaunchResult& result, const Tuning& tuning = {});

}  // namespace sim::model
