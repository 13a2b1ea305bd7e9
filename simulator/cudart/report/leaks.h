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

/// Memory that a program asked for, and where.
struct AskedFor {
  std::string origin;  ///< what findings call it
  std::uint64_t size = 0;
  std::vector<std::string> frames;  ///< see frames_of(); empty where it is not known
};

/// The allocations that a finding's words name, without those that an earlier call gave.
std::vector<AskedFor> first_named_in(const std::string& words);

/// Adds to what findings call an allocation the line that asked for it, where that is known: "cudaMalloc
/// #1 of line 12".
void say_where_asked_for(std::vector<Finding>& findings);

}  // namespace sim::cudart
