// One mistake, one finding.
#pragma once

#include <vector>

#include "simulator/report/finding.h"

namespace sim {

/// Findings that differ in block, thread and count only become one, at the first one's place, and so do those
/// of the instances of a template and the two sides of a race. Of findings without a line, such as a bad
/// argument, the words count, but not the numbers in them. Two accesses of a line are two mistakes.
std::vector<Finding> fold(std::vector<Finding> findings);

}  // namespace sim
