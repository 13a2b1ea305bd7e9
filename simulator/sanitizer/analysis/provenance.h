// Which object an address is made from.
#pragma once

#include "simulator/sanitizer/analysis/kernel_analysis.h"

namespace sim::sanitizer {

/// For every instruction of the code, the object that its (first) address is made from by adding; unknown
/// where paths disagree or where it is loaded from memory.
std::vector<PointerProvenance> find_provenance(const Code& code, const KernelAnalysis& analysis);

}  // namespace sim::sanitizer
