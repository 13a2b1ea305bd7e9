// Memory that a program leaves behind.
#pragma once

#include "simulator/memory/address_space.h"

namespace sim::runtime {

/// Remembers where the program asked for the memory, where a report is written. What it has not freed when it
/// ends is told as a note of kind "leak": the system takes it back, so nothing breaks, but a program that
/// goes on for longer would run out.
void remember_place(const memory::Allocation& allocation);

}  // namespace sim::runtime
