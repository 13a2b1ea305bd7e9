// Values of the 16-bit floats and of pairs of them: widening, rounding, addition.
#pragma once

#include "simulator/instructions/arithmetic/float_rules.h"

namespace sim::exec {

SIM_INLINE f32 widened(f16 h) {
  // Subnormals are counted in their steps of 2^-24: an f32 that is subnormal itself would slow the host down.
  const u32 sign = (u32(h) & 0x8000) << 16, rest = u32(h) & 0x7FFF;
  const u32 small = std::bit_cast<u32>(f32(s32(rest)) * 0x1p-24f);
  const u32 shifted = (rest << 13) + (rest >= 0x7C00 ? 0x70000000u : 0x38000000u);
  return std::bit_cast<f32>((rest < 0x400 ? small : shifted) | sign);
}
SIM_INLINE f32 widened(bf16 b) { return std::bit_cast<f32>(u32(b) << 16); }

/// The nearest f16, ties to even; overflow gives infinity, NaN the canonical 0x7FFF.
SIM_INLINE f16 to_f16(f32 v) {
  const u32 bits = std::bit_cast<u32>(v), sign = bits >> 16 & 0x8000;
  const u32 m = bits & 0x7FFFFFFFu;
  const u32 normal = ((m + 0xFFF + (m >> 13 & 1)) >> 13) - (u32{127 - 15} << 10);
  const u32 subnormal =
      std::bit_cast<u32>(std::bit_cast<f32>(m) + 0.5f) & 0xFFFF;  // steps of 2^-24: the sum rounds
  u32 result = m < 0x38800000u ? subnormal : normal;
  result = m >= 0x477FF000u ? 0x7C00u : result;  // 65520 and above
  return f16{u16(m > 0x7F800000u ? 0x7FFFu : result | sign)};
}
SIM_INLINE bf16 to_bf16(f32 v) {
  const u32 bits = std::bit_cast<u32>(v);
  return bf16{u16(v != v ? 0x7FFFu : (bits + 0x7FFF + (bits >> 16 & 1)) >> 16)};
}

/// f64 to f32 rounded to odd: a second rounding, to fewer bits, then comes out as if it were the only one.
SIM_INLINE f32 odd_f32(f64 v) {
  const f32 f = f32(v);
  const u32 bits = std::bit_cast<u32>(f);
  const bool away = (f64(f) > v) == (v > 0);
  const bool inexact = (f64(f) != v) & (v == v);
  return inexact ? std::bit_cast<f32>((away ? bits - 1 : bits) | 1) : f;
}
SIM_INLINE f16 to_f16(f64 v) { return to_f16(odd_f32(v)); }
SIM_INLINE bf16 to_bf16(f64 v) { return to_bf16(odd_f32(v)); }

/// a * b + c in f64, rounded to odd. The product of two 16-bit floats is exact in f64.
SIM_INLINE f64 odd_fma(f32 a, f32 b, f32 c) {
  const f64 p = f64(a) * b, s = p + c;
  const f64 shift = s - p, error = (p - (s - shift)) + (c - shift);
  const u64 bits = std::bit_cast<u64>(s);
  const bool adjust = (error != 0) & (error == error) & ((bits & 1) == 0);
  return adjust ? std::bit_cast<f64>((error > 0) == (s > 0) ? bits + 1 : bits - 1) : s;
}

SIM_INLINE f16 low(f16x2 v) { return f16{u16(u32(v))}; }
SIM_INLINE f16 high(f16x2 v) { return f16{u16(u32(v) >> 16)}; }
SIM_INLINE bf16 low(bf16x2 v) { return bf16{u16(u32(v))}; }
SIM_INLINE bf16 high(bf16x2 v) { return bf16{u16(u32(v) >> 16)}; }
SIM_INLINE f16x2 pair_of(f16 low, f16 high) { return f16x2{u32(high) << 16 | u32(low)}; }
SIM_INLINE bf16x2 pair_of(bf16 low, bf16 high) { return bf16x2{u32(high) << 16 | u32(low)}; }

template <class V>
SIM_INLINE f16 rounded_as(f16, V v) {
  return to_f16(v);
}
template <class V>
SIM_INLINE bf16 rounded_as(bf16, V v) {
  return to_bf16(v);
}

/// Sums as atomics make them.
template <class T>
inline T add_values(T a, T b) {
  if constexpr (std::is_same_v<T, f16> || std::is_same_v<T, bf16>) {
    return rounded_as(a, widened(a) + widened(b));  // f32 has the bits for one rounding to count
  } else if constexpr (std::is_same_v<T, f16x2> || std::is_same_v<T, bf16x2>) {
    return pair_of(add_values(low(a), low(b)), add_values(high(a), high(b)));
  } else if constexpr (std::is_same_v<T, f32>) {
    return canonical(a + b);
  } else {
    return a + b;
  }
}

}  // namespace sim::exec
