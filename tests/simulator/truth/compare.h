// How results of the simulator are held against recorded ones.
#pragma once

#include "tests/simulator/truth/cases.h"

namespace sim::truth {

/// Whether @p wanted, a name or the beginning of one with a star, chooses @p name.
bool chosen(const std::string& name, const std::string& wanted);

/// Describes the first result that differs, with its operands; empty when all agree.
/// @param got   8 bytes each, row by row
/// @param want  each in its own width
std::string difference(const Case& c, const std::vector<std::uint64_t>& got, const std::string& want);

}  // namespace sim::truth
