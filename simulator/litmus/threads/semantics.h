// What an instruction's qualifiers say of its place in the memory model.
#pragma once

#include "simulator/litmus/model/execution.h"
#include "simulator/ptx/program.h"

namespace sim::litmus {

struct Semantics {
  bool strong = false;
  bool acquires = false, releases = false;
  bool sc = false;
  Scope scope = Scope::cta;
};

/// Of ld, st, atom, red, fence and membar. `.volatile` counts as relaxed at system scope, an atomic with no
/// order as relaxed, one with no scope as of the GPU's; membar is fence.sc.
Semantics semantics_of(const ptx::Instruction& in);

}  // namespace sim::litmus
