// What all findings get before they leave the simulator.
#pragma once

#include <vector>

#include "simulator/report/finding.h"

namespace sim::cudart {

/// Gives each finding its kind's usual cure, unless it has one that fits better, and ends each message with a
/// full stop. Where no report is written nobody looks up lines of host code: what would stand for them goes.
void complete(std::vector<Finding>& findings);

}  // namespace sim::cudart
