// Guards: `@%p` before an instruction.
#pragma once

#include "simulator/engine/warp.h"

namespace sim::exec {

/// The active lanes that an instruction's guard lets through.
inline Mask passing(const Warp& w, const Instr& in) {
  if (in.guard == kNoGuard) return w.active;
  const Mask p = predicate(w, in.guard & ~kNegated);
  return w.active & (in.guard & kNegated ? ~p : p);
}

/// Handler of a guarded straight instruction: runs Instr::body for the lanes that pass.
void run_guarded(Warp& w, const Instr& in);

}  // namespace sim::exec
