// Which variable of the source a byte of local memory belongs to.
#pragma once

#include <string>

#include "simulator/sanitizer/analysis/kernel_analysis.h"

namespace sim::sanitizer {

/// A variable that lies in the frame of a running function, and where it starts in the thread's local memory.
struct PlacedVariable {
  const ptx::LocalVariable* variable = nullptr;  ///< null: none
  u64 start = 0;
};

/// The variable with @p offset among its bytes, of the running frames; none where there is no such.
PlacedVariable local_at(const KernelAnalysis& analysis, const Warp& w, u64 offset);

/// The variable in whose room behind it some of the bytes lie; none where there is no such.
PlacedVariable local_left_behind(const KernelAnalysis& analysis, const Warp& w, u64 offset, u32 bytes);

/// "best[3]", @p past bytes behind the variable's start.
std::string element_name(const ptx::LocalVariable& v, s64 past);

/// "best[3]", for a byte of the local memory of the running threads; empty where no variable is known there.
std::string local_name(const KernelAnalysis& analysis, const Warp& w, u64 offset);

/// Whether it is a byte of a number or of an array of them: what nobody wrote there is no padding.
bool is_plain_local(const KernelAnalysis& analysis, const Warp& w, u64 offset);

}  // namespace sim::sanitizer
