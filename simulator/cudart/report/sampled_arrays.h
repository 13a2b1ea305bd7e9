// What the arrays are called that a launch's sampled accesses lie in.
#pragma once

#include <vector>

#include "simulator/cudart/launch/execute.h"
#include "simulator/report/kernel_record.h"

namespace sim::cudart {

/// Names the arrays of all samples, as far as they are known: those of a runner's buffers, of the program's
/// allocations, and of variables in shared memory.
void name_arrays(std::vector<LineRecord>& lines, const CheckedLaunch& launch);

}  // namespace sim::cudart
