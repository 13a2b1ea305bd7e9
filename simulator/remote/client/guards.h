// Host-visible memory that work on the device may still be using, guarded on the program's side.
#pragma once

#include <vector>

#include "simulator/cudart/stream/guards.h"
#include "simulator/remote/calls.h"

namespace sim::remote {

/// Lets the program access everything again. @return what it has touched meanwhile
std::vector<GuardHit> lift_guards();

/// Guards pages until lift_guards(): an access to them is noted and let through.
void set_guards(const std::vector<cudart::GuardedPages>& pages);

}  // namespace sim::remote
