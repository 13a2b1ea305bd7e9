// Loads and stores of one address that belong to one statement, such as `count[b] += 1`.
#pragma once

#include <map>
#include <set>

#include "simulator/sanitizer/analysis/kernel_analysis.h"

namespace sim::sanitizer {

/// For each store of the code that writes back what it computed from a load of the same address, that load.
std::map<const ptx::Instruction*, const ptx::Instruction*> find_read_modify_writes(const Code& code);

/// Loads right behind a store to the same address: what -G makes of the inner assignment of `a = b = 1`, or
/// of the second in `a = 1, b = 1`. The thread has the value; optimised code does not load.
std::set<const ptx::Instruction*> find_store_to_load_reloads(const Code& code);

}  // namespace sim::sanitizer
