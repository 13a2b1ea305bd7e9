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

/// What no vendor tells and no single experiment shows: fitted to the measured times of the lessons' rungs
/// (tests/model/model_table.cpp, which also fits to all ladders but one and looks at that one).
struct Tuning {
  double machine_per_ptx = 1.15;    ///< machine instructions to one of PTX
  double passes_per_sector = 0.74;  ///< of L1, for a sector of global memory
  double partial_store = 3.05;      ///< more, for bytes of sectors that are written in pieces
  double queueing = 0.18;           ///< how much longer a load takes when DRAM is fully busy
  double l1_hits = 0.74;            ///< share of repeated sector reads that L1 serves
  double overlap = 4;  ///< exponent of the norm of the bounds: 1 adds them up, infinity takes the largest
};

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
                  const exec::LaunchResult& result, double footprint_bytes, const Tuning& tuning = {});

}  // namespace sim::model
