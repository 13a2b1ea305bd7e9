// The approximate functions, computed in double so that the f32 result is the correctly rounded
// one almost always: better than the hardware's tables, and within what the PTX ISA promises.
// Plain arithmetic that vectorises.
#pragma once

#include <cmath>

#include "simulator/instructions/lanes.h"

namespace sim::exec {

/// 2^x.
SIM_INLINE f64 approximate_ex2(f64 x) {
  x = x > 2000.0 ? 2000.0 : x;  // NaN fails both and stays
  x = x < -2000.0 ? -2000.0 : x;
  const f64 whole = std::nearbyint(x);
  const f64 t = (x - whole) * 0.693147180559945309417;
  // exp(t) for |t| <= ln(2)/2: the next term is below 2e-12.
  f64 p = 1.0 / 3628800;
  p = p * t + 1.0 / 362880;
  p = p * t + 1.0 / 40320;
  p = p * t + 1.0 / 5040;
  p = p * t + 1.0 / 720;
  p = p * t + 1.0 / 120;
  p = p * t + 1.0 / 24;
  p = p * t + 1.0 / 6;
  p = p * t + 0.5;
  p = p * t + 1.0;
  p = p * t + 1.0;
  // Two factors, because 2^whole alone may leave double's range.
  const s64 n = s64(x == x ? whole : 0.0), half = n >> 1;  // a NaN is no integer; t carries it on
  const f64 a = std::bit_cast<f64>(u64(half + 1023) << 52),
            b = std::bit_cast<f64>(u64(n - half + 1023) << 52);
  return p * a * b;
}

/// log2(x); NaN below zero.
SIM_INLINE f64 approximate_lg2(f64 x) {
  const bool tiny = x < 1e-300;
  const f64 scaled = tiny ? x * 0x1p200 : x;
  const u64 bits = std::bit_cast<u64>(scaled);
  const u64 shifted = bits - 0x3FE6A09E667F3BCDull;  // sqrt(1/2): mantissas into [sqrt(1/2), sqrt(2))
  const s64 exponent = s64(shifted) >> 52;
  const f64 m = std::bit_cast<f64>(bits - (u64(exponent) << 52));
  const f64 t = (m - 1) / (m + 1), t2 = t * t;
  f64 p = 1.0 / 17;
  p = p * t2 + 1.0 / 15;
  p = p * t2 + 1.0 / 13;
  p = p * t2 + 1.0 / 11;
  p = p * t2 + 1.0 / 9;
  p = p * t2 + 1.0 / 7;
  p = p * t2 + 1.0 / 5;
  p = p * t2 + 1.0 / 3;
  p = p * t2 + 1.0;
  const f64 result = f64(exponent) - (tiny ? 200 : 0) + p * t * 2.88539008177792681472;
  const f64 nan = std::bit_cast<f64>(0x7FF8000000000000ull);
  const f64 outside = x == 0 ? -HUGE_VAL : nan;
  const f64 inside = x > 1.7e308 ? x : result;
  return x > 0 ? inside : outside;
}

/// sin of x + quarters * pi/2. The hardware turns x into rotations in f32 first, which is where the error of
/// large arguments comes from; ours is the same.
SIM_INLINE f64 approximate_sin(f32 x, int quarters) {
  const bool finite = std::fabs(x) <= 3.4028235e38f;
  const f64 turns = finite ? f64(x * 0.159154943f) : 0;
  const f64 n = std::nearbyint((turns - std::nearbyint(turns)) * 4);
  const f64 r = ((turns - std::nearbyint(turns)) * 4 - n) * 1.57079632679489661923;
  const f64 r2 = r * r;
  f64 s = -1.0 / 39916800 + r2 * (1.0 / 6227020800.0);
  s = s * r2 + 1.0 / 362880;
  s = s * r2 - 1.0 / 5040;
  s = s * r2 + 1.0 / 120;
  s = s * r2 - 1.0 / 6;
  s = s * r2 * r + r;
  f64 c = 1.0 / 479001600 - r2 * (1.0 / 87178291200.0);
  c = c * r2 - 1.0 / 3628800;
  c = c * r2 + 1.0 / 40320;
  c = c * r2 - 1.0 / 720;
  c = c * r2 + 1.0 / 24;
  c = c * r2 - 0.5;
  c = c * r2 + 1.0;
  const s64 quadrant = s64(n) + quarters;
  const f64 value = quadrant & 1 ? c : s;
  return finite ? (quadrant & 2 ? -value : value) : std::bit_cast<f64>(0x7FF8000000000000ull);
}

SIM_INLINE f64 approximate_tanh(f64 x) {
  const f64 e = approximate_ex2(x * 2.88539008177792681472);  // exp(2x)
  const f64 large = 1 - 2 / (e + 1), small = x - x * x * x / 3;
  return std::fabs(x) < 1e-4 ? small : large;
}

}  // namespace sim::exec
