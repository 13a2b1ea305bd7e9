// What a memory instruction remembers from one execution to the next: the allocation and the pattern of
// addresses.
#pragma once

#include "simulator/exec/lanes.h"

namespace sim::exec {

/// How the lanes' addresses lie to each other. Bounds, coalescing and bank conflicts follow from it, and they
/// are the same for every access that differs by a shift only, so loops meet the same pattern again and
/// again.
struct Pattern {
  enum class Shape : u8 { scattered, contiguous, broadcast };
  alignas(64) s64 offset[kLanes] = {};  ///< from the first active lane's address; 0 for inactive lanes
  alignas(64) s32 narrow[kLanes] = {};  ///< the same for 32-bit addresses
  Mask mask = 0;
  u32 phase = 0;  ///< of the first address; what a shift must keep, within phase_mask, for the cost to stay
  u32 phase_mask = 0;     ///< 0 when any shift keeps it
  s64 low = 0, high = 0;  ///< least and greatest offset
  u32 alignment = 0;      ///< all offsets OR-ed together
  u32 cost = 0;           ///< sectors or wavefronts
  Shape shape = Shape::scattered;
  ptx::Space space = ptx::Space::generic;  ///< that the cost was worked out for
};

struct Site {
  Pattern pattern;
  u64 base = 1, size = 0;  ///< the allocation last accessed
  std::byte* host = nullptr;
};

}  // namespace sim::exec
