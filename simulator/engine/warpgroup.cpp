#include "simulator/engine/warpgroup.h"

#include "language/catalogue.h"
#include "simulator/engine/fault.h"
#include "simulator/engine/schedule.h"

namespace sim::exec {

bool last_of_warpgroup(Warp& w, const Instr& in) {
  Block& block = *w.block;
  const u32 number = w.index / kWarpsOfGroup;
  if ((number + 1) * kWarpsOfGroup > block.warps.size()) {
    fail(w, in, 0, FindingKind::mask,
         Message("The four warps of a warpgroup must execute this instruction together, and a block of {} "
                 "threads ends within the warpgroup that begins at thread {}.",
                 block.threads, number * kWarpsOfGroup * kLanes));
  }
  Warpgroup& group = block.warpgroups[number];
  if (group.at != nullptr && group.at != &in) {
    fail(w, in, 0, FindingKind::mask,
         tr("The four warps of a warpgroup must execute this instruction together, but others of them have "
            "come "
            "to another one."));
  }
  group.at = &in;
  group.arrived += 1;
  if (group.arrived == kWarpsOfGroup) return true;
  suspend_lanes(w, in, kAllLanes, w.pc, Wait::barrier, kFirstWarpgroup + int(number), 0);
  return false;
}

void release_warpgroup(Warp& w) {
  Block& block = *w.block;
  block.warpgroups[w.index / kWarpsOfGroup] = {};
  for (Warp* other = warpgroup_of(w); other != warpgroup_of(w) + kWarpsOfGroup; ++other) {
    if (other == &w) continue;
    for (Split& s : other->waiting) s.wait = Wait::none;
    block.states[other->index] = WarpState::ready;
  }
}

}  // namespace sim::exec
