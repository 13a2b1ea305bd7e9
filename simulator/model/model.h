// The time model: what a launch would take on a GPU, from its counters. Always "modelled", never "measured".
#pragma once

#include "simulator/engine/launch.h"
#include "simulator/model/gpu.h"
#include "simulator/model/occupancy.h"

namespace sim::model {

/// What no vendor tells and no single experiment shows: fitted to the measured times of the lessons' rungs
/// (tests/simulator/model/model_table.cpp, which also fits to all ladders but one and looks at that one).
struct Tuning {
  /// Clocks of a scheduler for one machine instruction: not in each of them is one ready.
  double clocks_per_sass_instruction = 1.11;
  double partial_store = 4.59;  ///< more, for bytes of sectors that are written in pieces
  double l1_hits = 0.693;       ///< share of repeated sector reads that L1 serves
  double overlap = 2.98;  ///< exponent of the norm of the bounds: 1 adds them up, infinity takes the largest
};

struct Estimate {
  double ns = 0;
  /// What takes longest: "launch", "issue", "double precision", "special functions", "texture", "tensor
  /// cores", "bulk copies", "shared wavefronts", "L1", "L2", "DRAM", "NVLink", "latency" or "atomics".
  const char* bound = "";
};

/// Time from a launch's start on the device to its end: the norm of the bounds in bounds.h.
Estimate estimate(const Gpu& gpu, const exec::KernelFacts& kernel, const exec::Launch& launch,
                  const exec::LaunchResult& result, const Tuning& tuning = {});

}  // namespace sim::model
