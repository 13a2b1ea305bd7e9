// Variables in shared memory as the source calls them.
#pragma once

#include <string>

#include "simulator/decode/code.h"

namespace sim::exec {

/// "tile" from the mangled name of a variable in a function.
std::string source_name(const std::string& mangled);

/// "tile": the variable that an offset of shared memory lies in; empty where it is not known.
std::string variable_at(const Code& code, u32 offset);

/// "tile[17]": what lies at an offset of shared memory, counted in elements of @p bytes; empty where it is
/// not known.
std::string shared_name(const Code& code, u32 offset, u32 bytes);

}  // namespace sim::exec
