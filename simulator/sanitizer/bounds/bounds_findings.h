// What the detector of accesses outside their variable has found, put into words.
#pragma once

#include "simulator/engine/access/access.h"
#include "simulator/engine/access/outside.h"
#include "simulator/sanitizer/bounds/local_variables.h"

namespace sim::sanitizer {

/// An access that starts @p past bytes behind the start of a local variable. Access and size of all findings
/// here are filled in.
void render_outside_local(Finding& f, Access kind, const ptx::LocalVariable& variable, s64 past);

/// An access at an offset in shared memory that was meant for a variable there.
/// @param in  the instruction
void render_outside_shared(Finding& f, const Code& code, const Instr& in, const SharedVariable& variable,
                           s64 from);

/// An access at an address in global memory that was meant for the allocation at @p base.
void render_outside_buffer(Finding& f, const memory::AddressSpace& space, const Code& code, const Instr& in,
                           u64 base, u64 from);

}  // namespace sim::sanitizer
