// Which memory a launch touched.
#pragma once

#include <vector>

#include "simulator/sanitizer/analysis/kernel_analysis.h"
#include "simulator/sanitizer/examine.h"
#include "simulator/sanitizer/global_shadows.h"

namespace sim::sanitizer {

/// What was touched of each allocation, as its shadow has it, in runs of bytes.
std::vector<Touched> touched(const GlobalShadows& globals, const KernelAnalysis& analysis);

}  // namespace sim::sanitizer
