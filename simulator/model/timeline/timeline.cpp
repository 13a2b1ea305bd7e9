#include "simulator/model/timeline/timeline.h"

#include <algorithm>
#include <cmath>

#include "simulator/model/timeline/replay.h"

namespace sim::model {

Timeline timeline(const Gpu& gpu, const exec::KernelFacts& kernel, const exec::Launch& launch,
                  const exec::LaunchResult& result, const Tuning& tuning) {
  if (result.recording.warps.empty()) return {};
  const BoundInputs in(gpu, kernel, launch, result, tuning);
  const double there = std::ceil(in.blocks / gpu.sms);
  const double resident = std::clamp<double>(in.occupancy.blocks_per_sm, 1, std::max(1.0, there));
  return Replay(result.recording, StepClocks(in), std::uint32_t(resident)).run();
}

}  // namespace sim::model
