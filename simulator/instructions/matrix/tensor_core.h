// What wgmma and mma.sync share: factors in registers as numbers with exponents, and the rounding of sums.
#pragma once

#include <algorithm>
#include <cmath>

#include "simulator/engine/warp.h"
#include "simulator/instructions/matrix/element.h"
#include "simulator/instructions/matrix/tensor_sum.h"

namespace sim::exec {

inline constexpr s32 kLeastOfF16 = -14;  ///< exponent of subnormal ones

/// Numbers of a type as products want them: words of bits are taken whole.
template <Element E>
using Number = std::conditional_t<E == Element::s8 || E == Element::u8 || E == Element::b1, s32, f32>;
template <Element E>
constexpr int kBytesOf = E == Element::b1 ? 4 : 4 / kPacked<E>;

template <Element E>
SIM_INLINE Number<E> number_of(u32 bits) {
  if constexpr (E == Element::b1) return s32(bits);
  return decode<E, Number<E>>(bits);
}

/// The exponent by which a number is aligned: subnormal ones have the least of their format.
template <Element E>
SIM_INLINE s32 aligned_exponent(u32 bits) {
  const auto by = [](u32 magnitude, u32 finite, int fraction, s32 bias) -> s32 {
    if (magnitude == 0) return kNothing;
    return magnitude > finite ? kSpecial : std::max(s32(magnitude >> fraction), 1) - bias;
  };
  if constexpr (E == Element::f16) return by(bits & 0x7FFF, 0x7BFF, 10, 15);
  if constexpr (E == Element::bf16) return by(bits & 0x7FFF, 0x7F7F, 7, 127);
  if constexpr (E == Element::tf32) return by(bits >> 13 & 0x3FFFF, 0x3FBFF, 10, 127);
  if constexpr (E == Element::e4m3) return by(bits & 0x7F, 0x7E, 3, 7);
  if constexpr (E == Element::e5m2) return by(bits & 0x7F, 0x7B, 2, 15);
  return 0;
}

/// Calls @p set(row, column, number, exponent) for all elements of a matrix in a warp's registers.
template <Element E, class Set>
void read_registers(const Warp& w, const Fragment& f, const OperandRef* registers, bool negated, Set set) {
  for (int r = 0; r < f.registers; ++r) {
    const u32* word = lanes<u32>(w, registers[r]);
    for (int lane = 0; lane < kLanes; ++lane) {
      for (int e = 0; e < f.per_register; ++e) {
        const int place = f.place[std::size_t(lane * f.elements() + r * f.per_register + e)];
        const u32 bits = word[lane] >> e * kBytesOf<E> * 8;
        const Number<E> v = number_of<E>(bits);
        set(place / f.columns, place % f.columns, negated ? -v : v, aligned_exponent<E>(bits));
      }
    }
  }
}

/// Towards zero, with as many bits as the rule keeps; but what is 2^128 or more is infinite.
SIM_INLINE f32 cut_f32(f64 exact, const SumRule& rule) {
  const u64 kept = ~u64{0} << std::max(52 - rule.fraction, 0);
  const f64 v = std::bit_cast<f64>(std::bit_cast<u64>(exact) & kept);
  const f32 f = f32(v);
  const u32 bits = std::bit_cast<u32>(f);
  const bool away = (std::fabs(f64(f)) > std::fabs(v)) & (std::fabs(v) < 0x1p128);
  return canonical(std::bit_cast<f32>(away ? bits - 1 : bits)) + 0.0f;  // there is no negative zero
}
inline void cut_lanes(const f64* exact, const SumRule& rule, f32* to) {
  const u64 kept = ~u64{0} << (52 - std::min(rule.fraction, 23));
  u64 special = 0;  // subnormal results are cut off elsewhere, and NaNs are all alike
  SIM_FOR_LANES(i) {
    const u64 bits = std::bit_cast<u64>(exact[i]), magnitude = bits & ~(u64{1} << 63);
    special |= u64(magnitude - 1 < u64{1023 - 126} << 52) | u64(magnitude > u64{0x7FF} << 52);
    to[i] = f32(std::bit_cast<f64>(bits & kept));
  }
  if (special == 0) return;
  for (int i = 0; i < kLanes; ++i) to[i] = cut_f32(exact[i], rule);
}
SIM_INLINE u32 nearest_f16(f64 exact) {
  const u32 bits = u32(to_f16(exact));
  return bits == 0x8000 ? 0 : bits;
}

/// d = a * b + c of one warp: each register has two columns of a quad's member. @param c  null: not added
template <Element D>
void multiply_real(Warp& w, const SumRule& rule, int columns, const OperandRef* d, const OperandRef* c,
                   const WarpRows<f32>& a, const QuadColumns<f32>& b) {
  alignas(64) f32 halves[kLanes];
  alignas(64) f64 sums[2][kLanes];
  for (int group = 0; group < columns / 8; ++group) {
    for (int half = 0; half < 2; ++half) {
      for (int parity = 0; parity < 2; ++parity) {
        if constexpr (D == Element::f32) {
          const int r = 4 * group + 2 * half + parity;
          const f32* const from = c == nullptr ? nullptr : lanes<f32>(w, c[r]);
          add_products(rule, a, half, b, 2 * group + parity, from, sums[0]);
          cut_lanes(sums[0], rule, lanes<f32>(w, d[r]));
        } else {
          if (c != nullptr) {
            const u32* const from = lanes<u32>(w, c[2 * group + half]);
            SIM_FOR_LANES(i) halves[i] = widened(f16{u16(from[i] >> 16 * parity)});
          }
          add_products(rule, a, half, b, 2 * group + parity, c == nullptr ? nullptr : halves, sums[parity]);
        }
      }
      if constexpr (D == Element::f16) {
        u32* const to = lanes<u32>(w, d[2 * group + half]);
        SIM_FOR_LANES(i) to[i] = nearest_f16(sums[0][i]) | nearest_f16(sums[1][i]) << 16;
      }
    }
  }
}

}  // namespace sim::exec
