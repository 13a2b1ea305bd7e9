// Which pageable memory of the program a copy reads or writes: told from its packed arguments, by both sides
// alike. The program sends as much, and the simulator lets no call touch more than it was sent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "simulator/remote/calls.h"

namespace sim::remote {

/// From now on the other process sees these bytes at the same addresses.
void share(std::uint64_t first, std::uint64_t bytes);
/// Whether it sees what lies at an address: host-visible memory, or pages that were shared.
/// @param bytes  all of which have to be
bool is_shared(std::uint64_t address, std::uint64_t bytes = 1);

/// One side of a copy that lies in pageable memory.
struct HostSide {
  std::uint32_t argument;  ///< where its address stands in the packed arguments
  std::uint64_t address;   ///< in the program
  std::uint64_t bytes;
  bool written;
  std::uint64_t other;  ///< the address of the other side of a copy in one dimension, else 0
};

/// @param packed  arguments of one of SIM_REMOTE_COPIES; of other calls there is no host side
/// @throws BadCall where the arguments are too short or the extents overflow
std::vector<HostSide> host_sides(Call call, std::span<const std::byte> packed);

}  // namespace sim::remote
