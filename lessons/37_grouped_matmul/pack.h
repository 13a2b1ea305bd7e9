// Two sums in one register.
#pragma once

/// Two sums, rounded to bf16; the first is the lower half.
__device__ inline unsigned pack(float first, float second) {
  unsigned both;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(second), "f"(first));
  return both;
}
