// Where memory is given out, for a program in another process that has to see the same addresses.
#pragma once

#include <cstdint>

namespace sim::memory {

struct Placement {
  std::uint64_t device = 0;        ///< first address of device memory; 0: wherever there is room
  std::uint64_t shared = 0;        ///< first address of managed and page-locked memory
  std::uint64_t shared_bytes = 0;  ///< most of it
  int shared_fd = -1;  ///< the file that is this memory in both processes; -1: this process's alone
};

/// For every address space made from now on.
void place_memory(const Placement& placement);
const Placement& placement();

}  // namespace sim::memory
