// Loads and stores of one address that belong to one statement, such as `count[b] += 1`.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "simulator/sanitizer/analysis/kernel_analysis.h"

namespace sim::sanitizer {

/// What a store writes back.
struct Update {
  const ptx::Instruction* load = nullptr;       ///< of the same address
  std::vector<const ptx::Instruction*> others;  ///< further loads that the value is computed from
};

/// The stores of the code that write back what they computed from a load of the same address.
std::map<const ptx::Instruction*, Update> find_read_modify_writes(const Code& code);

/// Loads right behind a store to the same address: what -G makes of the inner assignment of `a = b = 1`, or
/// of the second in `a = 1, b = 1`. The thread has the value; optimised code does not load.
std::set<const ptx::Instruction*> find_store_to_load_reloads(const Code& code);

}  // namespace sim::sanitizer
