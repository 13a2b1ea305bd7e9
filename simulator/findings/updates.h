// Statements such as `count[b] += 1`: a load and a store of one address.
#pragma once

#include <map>

#include "simulator/findings/plan.h"

namespace sim::findings {

/// For each store of the code that writes back what it computed from a load of the same address, that load.
std::map<const ptx::Instruction*, const ptx::Instruction*> find_updates(const Code& code);

}  // namespace sim::findings
