// Memory that a program leaves behind.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simulator/memory/address_space.h"

namespace sim::runtime {

/// Remembers where the program asked for the memory, where a report is written. What it has not freed when it
/// ends is told as a note of kind "leak": the system takes it back, so nothing breaks, but a program that
/// goes on for longer would run out.
void remember_place(const memory::Allocation& allocation);

/// Memory that a program asked for, and where.
struct AskedFor {
  std::string origin;  ///< what findings call it
  std::uint64_t size = 0;
  std::vector<std::string> frames;  ///< see frames_of(); empty where it is not known
};

/// The allocations that a finding's words name, without those that an earlier call gave.
std::vector<AskedFor> first_named_in(const std::string& words);

}  // namespace sim::runtime
