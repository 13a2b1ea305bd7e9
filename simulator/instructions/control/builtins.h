// Functions that PTX calls and the device runtime provides: vprintf, malloc, free, __assertfail.
#pragma once

#include <string_view>

#include "simulator/decode/code.h"

namespace sim::exec {

using Builtin = void (*)(Warp&, const CallDetail&);

/// @return null when there is none of that name, or when @p call has fewer or smaller arguments than it takes
Builtin find_builtin(std::string_view name, const CallDetail& call);

}  // namespace sim::exec
