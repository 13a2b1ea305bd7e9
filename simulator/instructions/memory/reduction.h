// Reductions of whole pieces of memory, as cp.reduce.async.bulk does them.
#pragma once

#include <string_view>

#include "simulator/instructions/lanes.h"

namespace sim::exec {

/// Updates @p bytes bytes from @p to on with those from @p from on, element by element.
using Reduction = void (*)(std::byte* to, const std::byte* from, u32 bytes);

/// @param operation  "add", "min", "max", "inc", "dec", "and", "or" or "xor"
/// @param type       "u32", "f16" ...
/// @return null where there is none
Reduction find_reduction(std::string_view operation, std::string_view type);

}  // namespace sim::exec
