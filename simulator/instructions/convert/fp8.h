// Values of the 8-bit floats e4m3 and e5m2.
#pragma once

#include "simulator/instructions/convert/half.h"

namespace sim::exec {

/// An 8-bit format: bits of the fraction, bias of the exponent, bits of the greatest finite value.
struct Eight {
  int fraction, bias;
  u32 greatest;
};
inline constexpr Eight kE4m3{3, 7, 0x7E}, kE5m2{2, 15, 0x7B};

/// e4m3 has no infinities and one NaN; e5m2 is the upper half of f16.
inline f32 widened(const Eight& f, u32 bits) {
  const u32 rest = bits & 0x7F;
  const int exponent = int(rest >> f.fraction);
  const u32 fraction = rest & ((1u << f.fraction) - 1);
  f32 v;
  if (rest > f.greatest) {
    const bool infinite = f.fraction == 2 && fraction == 0;
    v = infinite ? HUGE_VALF : std::bit_cast<f32>(0x7FC00000u);
  } else {
    const u32 significand = exponent == 0 ? fraction : fraction | 1u << f.fraction;
    v = std::ldexp(f32(significand), std::max(exponent, 1) - f.bias - f.fraction);
  }
  return bits & 0x80 ? -v : v;
}

/// The nearest value, ties to even; beyond the range the greatest, as .satfinite asks.
inline u32 narrowed(const Eight& f, f64 v) {
  if (v != v) return 0x7F;
  const u32 sign = std::signbit(v) ? 0x80 : 0;
  const f64 magnitude = std::fabs(v);
  if (magnitude >= f64(widened(f, f.greatest))) return sign | f.greatest;
  if (magnitude == 0) return sign;
  const int exponent = std::max(std::ilogb(magnitude), 1 - f.bias);
  const u32 steps = u32(std::nearbyint(std::ldexp(magnitude, f.fraction - exponent)));
  // A significand that rounds up to the next power of two carries into the exponent by itself.
  const u32 bits = (u32(exponent + f.bias - 1) << f.fraction) + steps;
  return sign | std::min(bits, f.greatest);
}

}  // namespace sim::exec
