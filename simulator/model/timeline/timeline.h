// The steps of a block's warps, recorded by the engine, put in time by the clocks of a GPU.
#pragma once

#include "simulator/model/model.h"
#include "simulator/report/timeline.h"

namespace sim::model {

/// Replays LaunchResult::recording. All blocks that an SM holds do the same steps and share its copies and
/// tensor cores; issue slots are not shared. Empty where nothing was recorded.
/// @see estimate(): the launch's time comes from its counters, and the two need not add up
Timeline timeline(const Gpu& gpu, const exec::KernelFacts& kernel, const exec::Launch& launch,
                  const exec::LaunchResult& result, const Tuning& tuning = {});

}  // namespace sim::model
