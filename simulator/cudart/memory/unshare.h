// Registered memory in the copy of the process that looks for findings.
#pragma once

#include "simulator/memory/address_space.h"

namespace sim::cudart {

/// Gives a process that was forked off a copy of its own of registered memory that is shared between
/// processes (`mmap` with MAP_SHARED): what a kernel writes there a second time must not be seen.
void unshare_registered(const memory::AddressSpace& space);

}  // namespace sim::cudart
