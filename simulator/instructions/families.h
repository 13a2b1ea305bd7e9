// The families of instructions; each is defined in the file of its name.
#pragma once

#include "simulator/decode/instruction_def.h"

namespace sim::exec {

/// An instruction that changes nothing that the simulator has.
inline void nothing(Warp&, const Instr&) {}

void declare_integer(InstructionSet&);
void declare_logic(InstructionSet&);
void declare_compare(InstructionSet&);
void declare_float(InstructionSet&);
void declare_convert(InstructionSet&);
void declare_half(InstructionSet&);
void declare_half_convert(InstructionSet&);
void declare_move(InstructionSet&);
void declare_memory(InstructionSet&);
void declare_atomic(InstructionSet&);
void declare_warp(InstructionSet&);
void declare_control(InstructionSet&);
void declare_async(InstructionSet&);
void declare_bulk(InstructionSet&);
void declare_matrix(InstructionSet&);
void declare_special(InstructionSet&);
void declare_texture(InstructionSet&);
void declare_stack(InstructionSet&);
void declare_video(InstructionSet&);
void declare_small_integer(InstructionSet&);
void declare_fp8(InstructionSet&);
void declare_cluster(InstructionSet&);
void declare_wide_atomic(InstructionSet&);

inline void declare_all(InstructionSet& defs) {
  declare_integer(defs);
  declare_logic(defs);
  declare_compare(defs);
  declare_float(defs);
  declare_convert(defs);
  declare_half(defs);
  declare_half_convert(defs);
  declare_move(defs);
  declare_memory(defs);
  declare_atomic(defs);
  declare_warp(defs);
  declare_control(defs);
  declare_async(defs);
  declare_bulk(defs);
  declare_matrix(defs);
  declare_special(defs);
  declare_texture(defs);
  declare_stack(defs);
  declare_video(defs);
  declare_small_integer(defs);
  declare_fp8(defs);
  declare_cluster(defs);
  declare_wide_atomic(defs);
}

}  // namespace sim::exec
