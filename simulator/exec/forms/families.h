// The families of instructions; each declares its forms in the file of its name.
#pragma once

#include "simulator/exec/form.h"

namespace sim::exec {

/// An instruction that changes nothing that the simulator has.
inline void nothing(Warp&, const Instr&) {}

void declare_integer(Forms&);
void declare_logic(Forms&);
void declare_compare(Forms&);
void declare_float(Forms&);
void declare_convert(Forms&);
void declare_half(Forms&);
void declare_half_convert(Forms&);
void declare_move(Forms&);
void declare_memory(Forms&);
void declare_atomic(Forms&);
void declare_warp(Forms&);
void declare_control(Forms&);
void declare_async(Forms&);
void declare_bulk(Forms&);
void declare_matrix(Forms&);
void declare_special(Forms&);
void declare_texture(Forms&);
void declare_stack(Forms&);
void declare_video(Forms&);
void declare_small_integer(Forms&);
void declare_fp8(Forms&);
void declare_cluster(Forms&);
void declare_wide_atomic(Forms&);

inline void declare_all(Forms& forms) {
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
