// The four warps of a warpgroup meet at the instructions that they execute together.
#pragma once

#include "simulator/engine/block.h"

namespace sim::exec {

inline constexpr u32 kWarpsOfGroup = 4;

/// Suspends the running warp at @p in, as a basic block of its own, until its warpgroup is there.
/// @pre all lanes of the warp are there: all_lanes_here()
/// @return whether this was the last warp: it executes @p in for all, and calls release_warpgroup()
/// @throws Fault "mask" when the block has no four warps for it, or one has come to another such instruction
bool last_of_warpgroup(Warp& w, const Instr& in);

/// The warps that wait for @p w in its warpgroup go on behind the instruction.
void release_warpgroup(Warp& w);

/// The first of the four warps of @p w's warpgroup.
inline Warp* warpgroup_of(const Warp& w) {
  return w.block->warps.data() + w.index / kWarpsOfGroup * kWarpsOfGroup;
}

}  // namespace sim::exec
