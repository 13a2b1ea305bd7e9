// Which blocks of a launch run while launches are sampled.
#pragma once

#include <cstdint>
#include <vector>

#include "simulator/memory/address_space.h"
#include "simulator/sampling.h"

namespace sim::cudart {

/// Whether launches are sampled.
bool sampling();

/// Warp instructions that a block may issue while they are: one that goes through all of a giant array by
/// itself takes too long.
inline constexpr std::uint64_t kMostInstructionsSampled = std::uint64_t{1} << 22;

/// Numbers in the grid, ascending, of the blocks of a sample; empty: all of them.
std::vector<std::uint64_t> sampled_blocks(std::uint64_t blocks);

/// The touched pages of an allocation of device memory.
std::vector<ByteRange> touched_pages(const memory::Allocation& allocation);

}  // namespace sim::cudart
