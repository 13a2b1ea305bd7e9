// What a launch cost: the counts of its host threads, put together.
#pragma once

#include <memory>
#include <vector>

#include "simulator/engine/worker.h"

namespace sim::exec {

/// Adds up what the workers counted and works out what the time model needs of it.
/// @param space      that it ran in
/// @param blocks     that were run
/// @param suspended  it has waited for what the host, another stream or device did: of such a loop one turn
///                   counts
LaunchResult launch_cost(const Code& code, const Launch& launch, const memory::AddressSpace& space,
                         const std::vector<std::unique_ptr<Worker>>& workers, u64 blocks, bool suspended);

/// Makes the cost of a sample of the blocks that of the whole grid.
void scale(LaunchResult& result, double factor);

}  // namespace sim::exec
