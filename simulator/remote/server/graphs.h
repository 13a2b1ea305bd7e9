// Graphs that a program builds node by node, on the simulator's side.
#pragma once

#include <cstdint>

#include "simulator/remote/calls.h"
#include "simulator/remote/codec.h"

namespace sim::remote {

/// Those special calls that are of graphs. @return the call's result. @throws BadCall, also for others
std::uint64_t perform_on_graph(Call which, Unpacker from, Packer& back);

}  // namespace sim::remote
