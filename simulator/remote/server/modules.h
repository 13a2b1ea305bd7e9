// Calls that are no functions of the API, on the simulator's side: modules, launches, callbacks.
#pragma once

#include <cstdint>

#include "simulator/remote/calls.h"
#include "simulator/remote/codec.h"
#include "simulator/remote/server/server.h"

namespace sim::remote {

/// @return the call's result. @throws BadCall
std::uint64_t perform_special(Server& server, Call which, Unpacker from, Packer& back);

/// Bytes from an address of device or host-visible memory to the end of what was allocated there; 0
/// elsewhere.
std::uint64_t readable(std::uint64_t address);

/// Functions of the program that the calling thread's work comes to are called through this slot, whose
/// program waits.
void call_back_through(Slot& slot);

/// How many ranges of pages the program is to guard.
std::size_t guards();

/// Whether some stream captures.
bool captures();

}  // namespace sim::remote
