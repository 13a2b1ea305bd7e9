// The families of instructions; each is defined in the file of its name. Declaring is cold: it runs once in a
// process, and there is much of it to compile.
#pragma once

#include "simulator/decode/instruction_def.h"

namespace sim::exec {

/// An instruction that changes nothing that the simulator has.
inline void nothing(Warp&, const Instr&) {}

[[gnu::cold]] void declare_integer(InstructionSet&);
[[gnu::cold]] void declare_logic(InstructionSet&);
[[gnu::cold]] void declare_compare(InstructionSet&);
[[gnu::cold]] void declare_float(InstructionSet&);
[[gnu::cold]] void declare_convert(InstructionSet&);
[[gnu::cold]] void declare_half(InstructionSet&);
[[gnu::cold]] void declare_half_convert(InstructionSet&);
[[gnu::cold]] void declare_move(InstructionSet&);
[[gnu::cold]] void declare_memory(InstructionSet&);
[[gnu::cold]] void declare_atomic(InstructionSet&);
[[gnu::cold]] void declare_warp(InstructionSet&);
[[gnu::cold]] void declare_control(InstructionSet&);
[[gnu::cold]] void declare_async(InstructionSet&);
[[gnu::cold]] void declare_bulk(InstructionSet&);
[[gnu::cold]] void declare_tensor(InstructionSet&);
[[gnu::cold]] void declare_matrix(InstructionSet&);
[[gnu::cold]] void declare_special(InstructionSet&);
[[gnu::cold]] void declare_texture(InstructionSet&);
[[gnu::cold]] void declare_stack(InstructionSet&);
[[gnu::cold]] void declare_video(InstructionSet&);
[[gnu::cold]] void declare_small_integer(InstructionSet&);
[[gnu::cold]] void declare_fp8(InstructionSet&);
[[gnu::cold]] void declare_cluster(InstructionSet&);
[[gnu::cold]] void declare_wide_atomic(InstructionSet&);

/// Families that many programs use.
inline void declare_frequent(InstructionSet& defs) {
  declare_integer(defs);
  declare_logic(defs);
  declare_compare(defs);
  declare_float(defs);
  declare_convert(defs);
  declare_move(defs);
  declare_memory(defs);
  declare_atomic(defs);
  declare_warp(defs);
  declare_control(defs);
  declare_special(defs);
}

/// The others, which a first build does without.
void declare_rare(InstructionSet&);

}  // namespace sim::exec
