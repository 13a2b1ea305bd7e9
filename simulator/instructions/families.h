// The families of instructions; each declares its forms in the file of its name.
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

inline void declare_all(InstructionSet& forms) {
  declare_integer(forms);
  declare_logic(forms);
  declare_compare(forms);
  declare_float(forms);
  declare_convert(forms);
  declare_half(forms);
  declare_half_convert(forms);
  declare_move(forms);
  declare_memory(forms);
  declare_atomic(forms);
  declare_warp(forms);
  declare_control(forms);
  declare_async(forms);
  declare_bulk(forms);
  declare_matrix(forms);
  declare_special(forms);
  declare_texture(forms);
  declare_stack(forms);
  declare_video(forms);
  declare_small_integer(forms);
  declare_fp8(forms);
  declare_cluster(forms);
  declare_wide_atomic(forms);
}

}  // namespace sim::exec
