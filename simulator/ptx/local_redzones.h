// Room between local variables, so that an access beyond one of them does not hit the next.
#pragma once

#include "simulator/ptx/debug_info.h"

namespace sim::ptx {

/// Moves the variables of each function's frame apart, as far as it is known which there are, and notes
/// in them how much room each has behind it. A frame that is used in a way that cannot be followed
/// stays as it is.
void insert_local_redzones(Module& module, Locals& locals);

}  // namespace sim::ptx
