// Loads whose value only guesses what a compare-and-swap will find.
#pragma once

#include <set>

#include "simulator/findings/plan.h"

namespace sim::findings {

/// The loads of the code whose value reaches the expected value of a compare-and-swap by copying alone: the
/// swap checks it, so that an old value costs a round and does no harm.
std::set<const ptx::Instruction*> find_guesses(const Code& code);

}  // namespace sim::findings
