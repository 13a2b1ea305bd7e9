// The host's rounding mode for the length of a scope.
#pragma once

#include <cfenv>

#include "simulator/decode/instr.h"

namespace sim::exec {

/// Switches the host's rounding mode to the one an instruction names, and back. Arithmetic does not move
/// across its ends as long as its operands come from memory.
class RoundingScope {
 public:
  explicit RoundingScope(Rounding mode) : switched_(mode != Rounding::rn && mode != Rounding::none) {
    if (!switched_) return;
    before_ = fegetround();
    fesetround(mode == Rounding::rz ? FE_TOWARDZERO : mode == Rounding::rm ? FE_DOWNWARD : FE_UPWARD);
    asm volatile("" ::: "memory");
  }
  ~RoundingScope() {
    if (!switched_) return;
    asm volatile("" ::: "memory");
    fesetround(before_);
  }
  RoundingScope(const RoundingScope&) = delete;

 private:
  bool switched_;
  int before_ = 0;
};

}  // namespace sim::exec
