// Values of the 16-bit floats and of pairs of them: widening, rounding, addition.
#pragma once

#include "simulator/exec/forms/float_rules.h"

namespace sim::exec {

inline f32 widened(f16 h) {
  // Shift the fields into an f32 whose exponent is then scaled; subnormals come out right by the
  // multiplication.
  const u32 sign = u32(h.bits & 0x8000) << 16, rest = u32(h.bits & 0x7FFF);
  const f32 scaled = std::bit_cast<f32>(rest << 13) * 0x1p112f;
  const u32 special = rest >= 0x7C00 ? 0x7F800000u | rest << 13 : std::bit_cast<u32>(scaled);
  return std::bit_cast<f32>(special | sign);
}
inline f32 widened(bf16 b) { return std::bit_cast<f32>(u32(b.bits) << 16); }

/// The nearest f16, ties to even; overflow gives infinity, NaN the canonical 0x7FFF.
inline f16 to_f16(f64 v) {
  const u64 bits = std::bit_cast<u64>(v);
  const u16 sign = u16(bits >> 48 & 0x8000);
  const f64 magnitude = std::bit_cast<f64>(bits & ~(u64{1} << 63));
  if (magnitude != magnitude) return {0x7FFF};
  if (magnitude >= 65520.0) return {u16(sign | 0x7C00)};
  if (magnitude < 0x1p-14) {  // subnormal: steps of 2^-24; the sum rounds for us
    return {u16(sign | u16(std::bit_cast<u64>(magnitude + 0x1p28) & 0xFFFF))};
  }
  const u64 m = std::bit_cast<u64>(magnitude);
  const u64 rounded = m + ((u64{1} << 41) - 1) + (m >> 42 & 1);
  return {u16(sign | u16((rounded >> 42) - (u64(1023 - 15) << 10)))};
}
inline bf16 to_bf16(f64 v) {
  if (v != v) return {0x7FFF};
  // Through f32 rounded to odd, so that the second rounding is right.
  f32 f = f32(v);
  u32 bits = std::bit_cast<u32>(f);
  if (f64(f) != v && f64(f) - f64(f) == 0) {
    const bool away = (f64(f) > v) == (v > 0);
    bits = (away ? bits - 1 : bits) | 1;
  }
  return {u16((bits + 0x7FFF + (bits >> 16 & 1)) >> 16)};
}

inline f16 low(f16x2 v) { return {u16(v.bits)}; }
inline f16 high(f16x2 v) { return {u16(v.bits >> 16)}; }
inline bf16 low(bf16x2 v) { return {u16(v.bits)}; }
inline bf16 high(bf16x2 v) { return {u16(v.bits >> 16)}; }
inline f16x2 pair_of(f16 low, f16 high) { return {u32(high.bits) << 16 | low.bits}; }
inline bf16x2 pair_of(bf16 low, bf16 high) { return {u32(high.bits) << 16 | low.bits}; }

inline f16 rounded_as(f16, f64 v) { return to_f16(v); }
inline bf16 rounded_as(bf16, f64 v) { return to_bf16(v); }

/// Sums as atomics make them.
template <class T>
inline T add_values(T a, T b) {
  if constexpr (std::is_same_v<T, f16> || std::is_same_v<T, bf16>) {
    return rounded_as(a, f64(widened(a)) + f64(widened(b)));
  } else if constexpr (std::is_same_v<T, f16x2> || std::is_same_v<T, bf16x2>) {
    return pair_of(add_values(low(a), low(b)), add_values(high(a), high(b)));
  } else if constexpr (std::is_same_v<T, f32>) {
    return canonical(a + b);
  } else {
    return a + b;
  }
}

}  // namespace sim::exec
