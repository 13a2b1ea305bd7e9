// Names that only the text of the source has.
#pragma once

#include <string>

#include "simulator/report/message.h"

namespace sim {

/// What an allocating call puts the memory's address into: "d_a" of `cudaMalloc((void**)&d_a, bytes)`. Reads
/// the source file; empty where that is not there, or its line does not say.
std::string variable_of(const AllocationName& memory);

/// Notes where memory was asked for, and what the call there puts its address into.
void set_line(AllocationName& memory, std::string file, int line);

}  // namespace sim
