// Filling the constant and identity banks, so that every operand is 32 lanes in memory.
#pragma once

#include "simulator/decode/code.h"
#include "simulator/engine/launch.h"

namespace sim::exec {

/// Immediates, parameters and the special registers that all blocks share.
void fill_constants_of_launch(const Code& code, const Launch& launch, u32 shared_bytes, std::byte* bank);

/// %ctaid and what else differs between blocks.
void fill_constants_of_block(const Code& code, const Launch& launch, const Index3& id, u64 index,
                             std::byte* bank);

/// %tid and %warpid of a warp.
void fill_identity(const Launch& launch, u32 warp, std::byte* bank);

/// A step of a small deterministic generator (splitmix64).
u64 next_random(u64& state);

}  // namespace sim::exec
