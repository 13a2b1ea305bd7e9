// What all findings get before they leave the simulator.
#pragma once

#include <vector>

#include "simulator/report/finding.h"

namespace sim::cudart {

/// Gives each finding its kind's usual cure, unless it has one that fits better, and its message the places
/// where memory was asked for. Where no report is written nobody looks up lines of host code: what they would
/// be looked up by goes.
void complete(std::vector<Finding>& findings);

}  // namespace sim::cudart
