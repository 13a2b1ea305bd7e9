// Memory that a program leaves behind.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simulator/cudart/report/host_backtrace.h"
#include "simulator/memory/address_space.h"
#include "simulator/report/finding.h"

namespace sim::cudart {

/// Remembers where the program asked for the memory. Where a report is written, what it has not freed when it
/// ends is told as a note of kind "leak": the system takes it back, so nothing breaks, but a program that
/// goes on for longer would run out.
void remember_place(const memory::Allocation& allocation);

/// What was remembered; null where nothing was.
const HostBacktrace* allocation_backtrace(const memory::Allocation& allocation);

/// Adds to the names of memory in the findings' messages where the program asked for it: the line and the
/// variable, or where a report is written the calls that led there.
void say_where_asked_for(std::vector<Finding>& findings);

}  // namespace sim::cudart
