// Loads by which a thread waits until another one writes.
#pragma once

#include <set>

#include "simulator/sanitizer/analysis/kernel_analysis.h"

namespace sim::sanitizer {

/// The volatile, relaxed and acquiring loads of one address within a loop that stores nothing: what the
/// thread reads elsewhere behind such a loop it takes to be written before what ended the loop.
std::set<const ptx::Instruction*> find_spin_loads(const Code& code);

}  // namespace sim::sanitizer
