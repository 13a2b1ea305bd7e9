// What an instruction's value is for, or where an operand of it comes from, as far as copies tell.
#pragma once

#include <set>

#include "simulator/sanitizer/analysis/kernel_analysis.h"

namespace sim::sanitizer {

/// The loads of the code whose value reaches the expected value of a compare-and-swap by copying alone: the
/// swap checks it, so that an old value costs a round and does no harm.
std::set<const ptx::Instruction*> find_expected_value_loads(const Code& code);

/// Shuffles from a place relative to the lane's own whose mask is, at least for some caller, what
/// __activemask() has said.
std::set<const ptx::Instruction*> find_activemask_shuffles(const Code& code);

}  // namespace sim::sanitizer
