#include "simulator/model/model.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "simulator/model/bounds.h"

namespace sim::model {

Estimate estimate(const Gpu& gpu, const exec::KernelFacts& kernel, const exec::Launch& launch,
                  const exec::LaunchResult& result, const Tuning& tuning) {
  const BoundInputs in(gpu, kernel, launch, result, tuning);
  const exec::UnitUse& units = result.cost.units;
  const std::array bounds{
      issue_bound(in),
      unit_bound(in, units.doubles, gpu.doubles_per_clock, "double precision"),
      unit_bound(in, units.specials, gpu.specials_per_clock, "special functions"),
      unit_bound(in, units.textures, gpu.textures_per_clock, "texture"),
      unit_bound(in, units.tensor_macs - units.wgmma_macs, gpu.tensor_macs_per_clock, "tensor cores"),
      wgmma_bound(in),
      bulk_bound(in),
      l1_pipe_bound(in),
      memory_bound(in),
      peer_bound(in),
      latency_bound(in),
      look_back_bound(in),
      atomic_bound(in),
  };
  // What limits overlaps with the rest, though not perfectly: a norm between the sum and the maximum.
  double sum = 0;
  for (const Estimate& bound : bounds) sum += std::pow(bound.ns, tuning.overlap);
  // Blocks are started beside all that.
  const double starts = in.blocks * gpu.block_ns;
  const double all = std::max(starts, std::pow(sum, 1 / tuning.overlap));
  const Estimate slowest = *std::max_element(
      bounds.begin(), bounds.end(), [](const Estimate& a, const Estimate& b) { return a.ns < b.ns; });
  // An empty kernel, too, starts a block.
  const double ns = gpu.launch_ns + all - gpu.start_clocks / gpu.clock_ghz;
  return {ns, all < gpu.launch_ns || all == starts ? "launch" : slowest.bound};
}

}  // namespace sim::model
