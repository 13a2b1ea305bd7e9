// The same-epoch fast path of a warp's access: most accesses are ordered with all before them by barriers of
// the block and of the warp alone, or by nothing having happened yet.
#pragma once

#include <array>

#include "simulator/engine/access/site.h"
#include "simulator/sanitizer/race/shadow.h"

namespace sim::sanitizer {

/// What it needs to know of the warp.
struct SameEpochCheck {
  u32 first_thread, block_first;  ///< of the grid's numbering
  u32 block_reach;                ///< threads behind the block's first that are of it; in shared memory: all
  Epoch block_time, warp_time, now, start;
  u32 at, warp_bit;

  bool in_block(u32 who) const { return who - block_first <= block_reach; }
  bool in_warp(u32 who) const { return who - first_thread < u32(kLanes); }
};

/// Lanes of an access that meet in the same bytes. Aligned accesses of one size overlap wholly or not at all.
struct LaneGroups {
  u32 learned = 0;  ///< AccessPattern::learned of the pattern that they are of
  u32 size = 0;
  std::array<s64, kLanes> offset;  ///< of each group
  std::array<Mask, kLanes> lanes;

  void find(const AccessPattern& pattern);
};

/// Looks at one group's access to cells [cell, cell + n), and enters it when that is enough.
/// @param exact  a read that earlier reads are not plainly before is not for the fast path
/// @return whether it was; else nothing was entered
bool same_epoch_read(const Shadow& s, u64 cell, u32 n, Mask lanes, const SameEpochCheck& g, bool exact);
bool same_epoch_write(const Shadow& s, u64 cell, u32 n, int lane, const SameEpochCheck& g);

/// The same for lanes 0 ... 31 that access neighbouring cells in their order, 1 << @p by each.
bool same_epoch_reads(const Shadow& s, u64 cell, u32 by, const SameEpochCheck& g);
bool same_epoch_writes(const Shadow& s, u64 cell, u32 by, const SameEpochCheck& g);

}  // namespace sim::sanitizer
