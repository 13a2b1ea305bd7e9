// What PTX asks of floating-point results beyond IEEE: flushed subnormals, canonical NaN, saturation.
#pragma once

#include "simulator/exec/lanes.h"

namespace sim::exec {

/// Subnormals become a zero of their sign.
inline f32 flushed(f32 v) {
  const u32 bits = std::bit_cast<u32>(v);
  return std::bit_cast<f32>((bits & 0x7F800000u) == 0 ? bits & 0x80000000u : bits);
}

/// Every NaN that f32 arithmetic makes has these bits.
inline f32 canonical(f32 v) { return v != v ? std::bit_cast<f32>(0x7FFFFFFFu) : v; }
inline f64 canonical(f64 v) { return v; }

/// .sat: into [0, 1]; NaN becomes +0.
template <class T>
inline T saturated(T v) {
  return v > T(0) ? (v < T(1) ? v : T(1)) : T(0);
}

}  // namespace sim::exec
