// Comparisons, by operator and type: shared by the families that compare.
#pragma once

#include "simulator/instructions/arithmetic/float_rules.h"
#include "simulator/instructions/lanewise.h"

namespace sim::exec {

/// One comparison. Ordered operators are false, unordered ones true, when an operand is NaN.
template <Compare C, class T>
inline bool compares(T a, T b) {
  const bool unordered = a != a || b != b;
  switch (C) {
    case Compare::eq:
      return a == b;
    case Compare::ne:
      return a != b && !unordered;
    case Compare::lt:
    case Compare::lo:
      return a < b;
    case Compare::le:
    case Compare::ls:
      return a <= b;
    case Compare::gt:
    case Compare::hi:
      return a > b;
    case Compare::ge:
    case Compare::hs:
      return a >= b;
    case Compare::equ:
      return a == b || unordered;
    case Compare::neu:
      return a != b;
    case Compare::ltu:
      return !(a >= b);
    case Compare::leu:
      return !(a > b);
    case Compare::gtu:
      return !(a <= b);
    case Compare::geu:
      return !(a < b);
    case Compare::num:
      return !unordered;
    case Compare::nan:
      return unordered;
    default:
      return false;
  }
}

/// Values of a type as they are compared: 16-bit floats as f32, everything else as itself.
template <class T>
inline auto comparable(T v, bool ftz) {
  if constexpr (std::is_same_v<T, f32>) {
    return ftz ? flushed(v) : v;
  } else {
    (void)ftz;
    return v;
  }
}

/// The comparison of all lanes as a mask. A function of its own, because each has several users.
template <Compare C, class T>
[[gnu::noinline]] Mask compare_lanes(const Warp& w, OperandRef a, OperandRef b, bool ftz) {
  const T *x = lanes<T>(w, a), *y = lanes<T>(w, b);
  Mask result = 0;
  SIM_FOR_LANES(i) result |= compares<C>(comparable(x[i], ftz), comparable(y[i], ftz)) ? kLaneBit[i] : 0;
  return result;
}

inline Mask combined(BoolOp op, Mask a, Mask c) {
  switch (op) {
    case BoolOp::and_:
      return a & c;
    case BoolOp::or_:
      return a | c;
    case BoolOp::xor_:
      return a ^ c;
    default:
      return a;
  }
}

/// setp p|q, a, b: p = a ? b, q = !(a ? b).
template <bool Masked, Compare C, class T>
void set_predicates(Warp& w, const Instr& in) {
  const Mask p = compare_lanes<C, T>(w, in.op[2], in.op[3], in.mods.ftz);
  const auto put = [&](OperandRef ref, Mask value) {
    Mask& to = predicate(w, ref);
    to = Masked ? (value & w.active) | (to & ~w.active) : value;
  };
  put(in.op[1], ~p);
  put(in.op[0], p);
}

/// Calls @p use with the operator as a compile-time constant.
template <class Use>
void with_compare(Compare c, bool floating, Use use) {
  using enum Compare;
  const auto is = [&]<Compare K>(std::integral_constant<Compare, K> k) {
    if (c == K) use(k);
  };
#define SIM_COMPARE(name) is(std::integral_constant<Compare, name>())
  SIM_COMPARE(eq), SIM_COMPARE(ne), SIM_COMPARE(lt), SIM_COMPARE(le), SIM_COMPARE(gt), SIM_COMPARE(ge);
  if (c == lo) use(std::integral_constant<Compare, lt>());
  if (c == ls) use(std::integral_constant<Compare, le>());
  if (c == hi) use(std::integral_constant<Compare, gt>());
  if (c == hs) use(std::integral_constant<Compare, ge>());
  if (!floating) return;
  SIM_COMPARE(equ), SIM_COMPARE(neu), SIM_COMPARE(ltu), SIM_COMPARE(leu), SIM_COMPARE(gtu), SIM_COMPARE(geu);
  SIM_COMPARE(num), SIM_COMPARE(nan);
#undef SIM_COMPARE
}

/// The comparison that an instruction names, combined with its last operand: for what is rare.
template <class T>
Mask combined_comparison(const Warp& w, const Instr& in, OperandRef a, OperandRef b, OperandRef c,
                         Mask& negated) {
  const Mods mods = in.mods;
  Mask p = 0;
  with_compare(mods.compare, !std::is_integral_v<T>, [&]<Compare C>(std::integral_constant<Compare, C>) {
    p = compare_lanes<C, T>(w, a, b, mods.ftz);
  });
  const Mask with = predicate(w, c) ^ (mods.negated ? kAllLanes : 0);
  negated = combined(mods.combine, ~p, with);
  return combined(mods.combine, p, with);
}

/// setp p|q, a, b, c: p = (a ? b) op c, q = !(a ? b) op c.
template <class T>
void set_combined_predicates(Warp& w, const Instr& in) {
  Mask q = 0;
  const Mask p = combined_comparison<T>(w, in, in.op[2], in.op[3], in.op[4], q);
  const auto put = [&](OperandRef ref, Mask value) {
    Mask& to = predicate(w, ref);
    to = (value & w.active) | (to & ~w.active);
  };
  put(in.op[1], q);
  put(in.op[0], p);
}

/// set d, a, b{, c}: all ones or 1.0 where the comparison holds.
template <class D, class T>
void set_values(Warp& w, const Instr& in) {
  Mask q = 0;
  const Mask p = combined_comparison<T>(w, in, in.op[1], in.op[2], in.op[3], q);
  const D yes = std::is_same_v<D, f32> ? D(1) : D(~u32{0});
  write_lanes<true>(lanes<D>(w, in.op[0]), w.active, [&](int i) { return p & kLaneBit[i] ? yes : D(0); });
}

template <class T>
[[gnu::cold]] void bind_setp(Binding& b) {
  if (b.mods.combine != BoolOp::none) {
    b.out.all = b.out.some = &set_combined_predicates<T>;
    return;
  }
  with_compare(b.mods.compare, !std::is_integral_v<T>, [&]<Compare C>(std::integral_constant<Compare, C>) {
    b.out.some = &set_predicates<true, C, T>;
    b.out.all = &set_predicates<false, C, T>;
  });
}

template <class T>
[[gnu::cold]] void declare_setp(InstructionSet& defs, const char* pattern) {
  const OperandSpec value{Role::read, type_of<T>()};
  defs.custom(pattern, {{Role::pair, ptx::Type::pred}, value, value, {Role::read, ptx::Type::pred, 1, true}},
              &bind_setp<T>);
}

template <class D, class T>
[[gnu::cold]] void declare_set(InstructionSet& defs, const char* pattern) {
  const OperandSpec value{Role::read, type_of<T>()};
  defs.custom(pattern, {{Role::write, type_of<D>()}, value, value, {Role::read, ptx::Type::pred, 1, true}},
              &set_values<D, T>, &set_values<D, T>);
}

}  // namespace sim::exec
