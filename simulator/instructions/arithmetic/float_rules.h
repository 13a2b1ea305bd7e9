// What PTX asks of floating-point results beyond IEEE: flushed subnormals, canonical NaN, saturation.
#pragma once

#include <cmath>

#include "simulator/decode/instr.h"

namespace sim::exec {

/// Subnormals become a zero of their sign.
SIM_INLINE f32 flushed(f32 v) {
  const u32 bits = std::bit_cast<u32>(v);
  return std::bit_cast<f32>((bits & 0x7F800000u) == 0 ? bits & 0x80000000u : bits);
}

/// Every NaN that f32 arithmetic makes has these bits.
SIM_INLINE f32 canonical(f32 v) { return v != v ? std::bit_cast<f32>(0x7FFFFFFFu) : v; }
SIM_INLINE f64 canonical(f64 v) { return v; }

/// A NaN as an operation that does not make one passes it on: f64 keeps its payload.
SIM_INLINE f32 quieted(f32 v) { return canonical(v); }
SIM_INLINE f64 quieted(f64 v) { return std::bit_cast<f64>(std::bit_cast<u64>(v) | 0x0008000000000000ull); }

/// .sat: into [0, 1]; NaN becomes +0.
template <class T>
SIM_INLINE T saturated(T v) {
  return v > T(0) ? (v < T(1) ? v : T(1)) : T(0);
}

template <class T>
SIM_INLINE bool sign_of(T v) {
  return std::bit_cast<BitsOf<T>>(v) >> (8 * sizeof(T) - 1);
}
template <class T>
SIM_INLINE T with_sign(T v, bool negative) {
  constexpr BitsOf<T> kSign = BitsOf<T>(1) << (8 * sizeof(T) - 1);
  const BitsOf<T> bits = std::bit_cast<BitsOf<T>>(v);
  return std::bit_cast<T>(BitsOf<T>(negative ? bits | kSign : bits & ~kSign));
}

/// The lesser or greater of two; a NaN loses unless .NaN is written, and -0 is less than +0.
template <bool Max, class T>
SIM_INLINE T extreme(T a, T b, const Mods& m) {
  if constexpr (std::is_same_v<T, f32>) {
    if (m.ftz) a = flushed(a), b = flushed(b);
  }
  const bool zeros = (a == T(0)) & (b == T(0)), a_nan = a != a, b_nan = b != b;
  const bool first = zeros ? sign_of(a) != Max : (Max ? a > b : a < b);
  T r = first ? a : b;
  r = a_nan ? b : r;
  r = b_nan ? a : r;
  const T nan = a_nan ? a : b;
  r = m.nan & (a_nan | b_nan) ? nan : r;
  return canonical(r);
}

/// To an integer of the value's own type, in the mode written.
template <class T>
SIM_INLINE T integral(T v, Rounding mode) {
  switch (mode) {
    case Rounding::rz:
      return std::trunc(v);
    case Rounding::rm:
      return std::floor(v);
    case Rounding::rp:
      return std::ceil(v);
    default:
      return std::nearbyint(v);
  }
}

}  // namespace sim::exec
