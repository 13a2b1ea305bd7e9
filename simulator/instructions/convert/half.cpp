// Arithmetic on f16, bf16 and pairs of them. Each value is computed in f32 or f64 and rounded once.
#include "simulator/instructions/convert/half.h"

#include <concepts>

#include "simulator/instructions/arithmetic/approximate.h"
#include "simulator/instructions/arithmetic/compare.h"
#include "simulator/instructions/families.h"

namespace sim::exec {

namespace {

template <class T>
struct PairOf;
template <>
struct PairOf<f16> {
  using type = f16x2;
};
template <>
struct PairOf<bf16> {
  using type = bf16x2;
};

/// How a value enters and leaves an operation on f32: widened and flushed; saturated and rounded.
template <class H, bool kPlain>
struct Scalar {
  SIM_INLINE static f32 in(H h, const Mods& m) {
    const f32 v = widened(h);
    if constexpr (kPlain) return v;
    if constexpr (std::is_same_v<H, bf16>) return m.ftz ? flushed(v) : v;
    return m.ftz && std::fabs(v) < 0x1p-14f ? with_sign(0.0f, sign_of(v)) : v;
  }
  template <class V>
  SIM_INLINE static H out(V v, const Mods& m) {
    if constexpr (kPlain) return rounded_as(H{}, v);
    if (m.sat) v = saturated(v);
    if (m.relu) v = v <= 0 ? 0 : v;
    const H result = rounded_as(H{}, v);
    const bool tiny = m.ftz && (u32(result) & (std::is_same_v<H, f16> ? 0x7C00 : 0x7F80)) == 0;
    return H{u16(tiny ? u32(result) & 0x8000 : u32(result))};
  }
};

template <class F, class H, bool kPlain>
struct One {
  using S = Scalar<H, kPlain>;
  template <std::same_as<H>... V>
  SIM_INLINE static H of(const Mods& m, V... v) {
    return S::out(F{}(S::in(v, m)..., m), m);
  }
  SIM_INLINE H operator()(H a, const Mods& m) const { return of(m, a); }
  SIM_INLINE H operator()(H a, H b, const Mods& m) const { return of(m, a, b); }
  SIM_INLINE H operator()(H a, H b, H c, const Mods& m) const { return of(m, a, b, c); }
};

/// The same on both halves of a pair.
template <class F, class H, bool kPlain>
struct Both {
  using P = typename PairOf<H>::type;
  template <std::same_as<P>... V>
  SIM_INLINE static P of(const Mods& m, V... v) {
    using Half = One<F, H, kPlain>;
    return pair_of(Half::of(m, low(v)...), Half::of(m, high(v)...));
  }
  SIM_INLINE P operator()(P a, const Mods& m) const { return of(m, a); }
  SIM_INLINE P operator()(P a, P b, const Mods& m) const { return of(m, a, b); }
  SIM_INLINE P operator()(P a, P b, P c, const Mods& m) const { return of(m, a, b, c); }
};

struct AddF {
  f32 operator()(f32 a, f32 b, const Mods&) const { return a + b; }
};
struct SubF {
  f32 operator()(f32 a, f32 b, const Mods&) const { return a - b; }
};
struct MulF {
  f32 operator()(f32 a, f32 b, const Mods&) const { return a * b; }
};
struct FmaF {
  f64 operator()(f32 a, f32 b, f32 c, const Mods&) const { return odd_fma(a, b, c); }
};
struct MinF {
  f32 operator()(f32 a, f32 b, const Mods& m) const { return extreme<false>(a, b, m); }
};
struct MaxF {
  f32 operator()(f32 a, f32 b, const Mods& m) const { return extreme<true>(a, b, m); }
};
struct Ex2F {
  f64 operator()(f32 a, const Mods&) const { return approximate_ex2(a); }
};
struct TanhF {
  f64 operator()(f32 a, const Mods&) const { return approximate_tanh(a); }
};

/// Declares an operation for f16 and its pairs. @param name  the pattern but for the type
template <class F, template <class> class Signature, bool kPlain>
[[gnu::cold]] void declare_f16(InstructionSet& defs, const std::string& name) {
  defs.lanewise<Signature<f16>>(name + ".f16", One<F, f16, kPlain>());
  defs.lanewise<Signature<f16x2>>(name + ".f16x2", Both<F, f16, kPlain>());
}

/// The same for bf16, which has fewer modifiers.
template <class F, template <class> class Signature, bool kPlain>
[[gnu::cold]] void declare_bf16(InstructionSet& defs, const std::string& name) {
  defs.lanewise<Signature<bf16>>(name + ".bf16", One<F, bf16, kPlain>());
  defs.lanewise<Signature<bf16x2>>(name + ".bf16x2", Both<F, bf16, kPlain>());
}

struct NegF {
  f32 operator()(f32 a, const Mods&) const { return -a; }
};
struct AbsF {
  f32 operator()(f32 a, const Mods&) const { return std::fabs(a); }
};
/// The extreme of the magnitudes, with the product's sign.
template <bool kMax>
struct XorSign {
  f32 operator()(f32 a, f32 b, const Mods& m) const {
    return with_sign(extreme<kMax>(std::fabs(a), std::fabs(b), m), sign_of(a) != sign_of(b));
  }
};

// Comparisons: one predicate for a value, two for a pair.

/// Lanes by how their values compare. Where one is NaN, a lane is in none of them.
struct Ordering {
  Mask less = 0, equal = 0, greater = 0;
};

template <class H, class Values>
Ordering ordering(const Mods& m, Values values) {
  Ordering o;
  SIM_FOR_LANES(i) {
    const auto [a, b] = values(i);
    const f32 x = Scalar<H, false>::in(a, m), y = Scalar<H, false>::in(b, m);
    o.less |= x < y ? kLaneBit[i] : 0;
    o.equal |= x == y ? kLaneBit[i] : 0;
    o.greater |= x > y ? kLaneBit[i] : 0;
  }
  return o;
}

Mask lanes_where(Compare c, const Ordering& o) {
  const Mask unordered = ~(o.less | o.equal | o.greater);
  switch (c) {
    case Compare::eq:
      return o.equal;
    case Compare::ne:
      return o.less | o.greater;
    case Compare::lt:
      return o.less;
    case Compare::le:
      return o.less | o.equal;
    case Compare::gt:
      return o.greater;
    case Compare::ge:
      return o.greater | o.equal;
    case Compare::equ:
      return o.equal | unordered;
    case Compare::neu:
      return ~o.equal;
    case Compare::ltu:
      return o.less | unordered;
    case Compare::leu:
      return ~o.greater;
    case Compare::gtu:
      return o.greater | unordered;
    case Compare::geu:
      return ~o.less;
    case Compare::num:
      return ~unordered;
    case Compare::nan:
      return unordered;
    default:
      return 0;
  }
}

/// The lanes where the comparison that an instruction names holds: of values, or of the halves of pairs.
struct Holds {
  Mask low = 0, high = 0;
};
template <class T>
[[gnu::noinline]] Holds compared(const Warp& w, const Instr& in, int first) {
  const T *a = lanes<T>(w, in.op[first]), *b = lanes<T>(w, in.op[first + 1]);
  const Mods m = in.mods;
  const auto where = [&]<class H>(std::type_identity<H>, auto values) {
    return lanes_where(m.compare, ordering<H>(m, values));
  };
  if constexpr (sizeof(T) == 2) {
    return {where(std::type_identity<T>(), [&](int i) { return std::pair(a[i], b[i]); })};
  } else {
    using H = decltype(low(T()));
    return {where(std::type_identity<H>(), [&](int i) { return std::pair(low(a[i]), low(b[i])); }),
            where(std::type_identity<H>(), [&](int i) { return std::pair(high(a[i]), high(b[i])); })};
  }
}

/// setp p|q, a, b{, c}: of values p and what is not p, of pairs the lower and the upper half.
template <class T>
void set_predicates_of_halves(Warp& w, const Instr& in) {
  const Mods m = in.mods;
  const Holds holds = compared<T>(w, in, 2);
  const Mask c = predicate(w, in.op[4]) ^ (m.negated ? kAllLanes : 0), active = w.active;
  const auto put = [&](OperandRef ref, Mask value) {
    Mask& to = predicate(w, ref);
    to = (combined(m.combine, value, c) & active) | (to & ~active);
  };
  put(in.op[1], sizeof(T) == 2 ? ~holds.low : holds.high);
  put(in.op[0], holds.low);
}

/// set d, a, b{, c}: a number or all ones where the comparison, combined with c, holds.
template <class D, class T>
void set_values_of_halves(Warp& w, const Instr& in) {
  constexpr bool kPair = sizeof(T) == 4, kNumber = std::is_same_v<D, T>;
  constexpr bool kBrain = std::is_same_v<T, bf16x2> || std::is_same_v<T, bf16>;
  using B = BitsOf<D>;
  constexpr B kYes = kNumber ? (kBrain ? 0x3F80 : 0x3C00) : kPair ? B(0xFFFF) : B(~B(0));
  const Mods m = in.mods;
  Holds holds = compared<T>(w, in, 1);
  const Mask c = predicate(w, in.op[3]) ^ (m.negated ? kAllLanes : 0);
  holds = {combined(m.combine, holds.low, c), combined(m.combine, holds.high, c)};
  write_lanes<true>(lanes<B>(w, in.op[0]), w.active, [&](int i) {
    const B low = holds.low & kLaneBit[i] ? kYes : B(0);
    if constexpr (!kPair) return low;
    return B(low | (holds.high & kLaneBit[i] ? u32(kYes) << 16 : 0));
  });
}

template <class D, class T>
[[gnu::cold]] void declare_set_to(InstructionSet& defs, const std::string& pattern) {
  const OperandSpec value{Role::read, type_of<T>()};
  defs.custom(pattern, {{Role::write, type_of<D>()}, value, value, {Role::read, ptx::Type::pred, 1, true}},
              &set_values_of_halves<D, T>, &set_values_of_halves<D, T>);
}

template <class H>
[[gnu::cold]] void declare_comparisons(InstructionSet& defs, const std::string& type,
                                       const std::string& since, const std::string& ftz) {
  using P = typename PairOf<H>::type;
  const std::string compare = "(.eq,.ne,.lt,.le,.gt,.ge,.equ,.neu,.ltu,.leu,.gtu,.geu,.num,.nan)";
  const OperandSpec one{Role::read, type_of<H>()}, two{Role::read, type_of<P>()};
  const OperandSpec to{Role::pair, ptx::Type::pred}, with{Role::read, ptx::Type::pred, 1, true};
  const std::string setp = "setp" + since + compare + "{.and,.or,.xor}" + ftz + ".";
  defs.custom(setp + type, {to, one, one, with}, &set_predicates_of_halves<H>, &set_predicates_of_halves<H>);
  defs.custom(setp + type + "x2", {to, two, two, with}, &set_predicates_of_halves<P>,
              &set_predicates_of_halves<P>);
  const std::string set = "set" + since + compare + "{.and,.or,.xor}" + ftz;
  declare_set_to<H, H>(defs, set + "." + type + "." + type);
  declare_set_to<u16, H>(defs, set + "(.u16,.s16)." + type);
  declare_set_to<u32, H>(defs, set + "(.u32,.s32)." + type);
  declare_set_to<P, P>(defs, set + "." + type + "x2." + type + "x2");
  declare_set_to<u32, P>(defs, set + "(.u32,.s32)." + type + "x2");
}

}  // namespace

void declare_half(InstructionSet& defs) {
  defs.family("half precision");
  // The bare names are fast; the same with modifiers in full.
  declare_f16<AddF, Binary, true>(defs, "add{.rn}");
  declare_f16<AddF, Binary, false>(defs, "add{.rn}{.ftz}{.sat}");
  declare_bf16<AddF, Binary, true>(defs, "add@90{.rn}");
  declare_f16<SubF, Binary, true>(defs, "sub{.rn}");
  declare_f16<SubF, Binary, false>(defs, "sub{.rn}{.ftz}{.sat}");
  declare_bf16<SubF, Binary, true>(defs, "sub@90{.rn}");
  declare_f16<MulF, Binary, true>(defs, "mul{.rn}");
  declare_f16<MulF, Binary, false>(defs, "mul{.rn}{.ftz}{.sat}");
  declare_bf16<MulF, Binary, true>(defs, "mul@90{.rn}");
  declare_f16<FmaF, Ternary, true>(defs, "fma.rn");
  declare_f16<FmaF, Ternary, false>(defs, "fma.rn{.ftz}{.sat,.relu@80}");
  declare_bf16<FmaF, Ternary, true>(defs, "fma@80.rn");
  declare_bf16<FmaF, Ternary, false>(defs, "fma@80.rn.relu");
  declare_f16<FmaF, Ternary, false>(defs, "fma@90.rn.oob{.relu}");
  declare_bf16<FmaF, Ternary, false>(defs, "fma@90.rn.oob{.relu}");
  declare_f16<MinF, Binary, true>(defs, "min@80");
  declare_f16<MinF, Binary, false>(defs, "min@80{.ftz}{.NaN}");
  declare_bf16<MinF, Binary, true>(defs, "min@80");
  declare_bf16<MinF, Binary, false>(defs, "min@80.NaN");
  declare_f16<MaxF, Binary, true>(defs, "max@80");
  declare_f16<MaxF, Binary, false>(defs, "max@80{.ftz}{.NaN}");
  declare_bf16<MaxF, Binary, true>(defs, "max@80");
  declare_bf16<MaxF, Binary, false>(defs, "max@80.NaN");
  declare_f16<XorSign<false>, Binary, false>(defs, "min@86{.ftz}{.NaN}.xorsign.abs");
  declare_bf16<XorSign<false>, Binary, false>(defs, "min@86{.NaN}.xorsign.abs");
  declare_f16<XorSign<true>, Binary, false>(defs, "max@86{.ftz}{.NaN}.xorsign.abs");
  declare_bf16<XorSign<true>, Binary, false>(defs, "max@86{.NaN}.xorsign.abs");
  declare_f16<Ex2F, Unary, true>(defs, "ex2.approx");
  declare_bf16<Ex2F, Unary, false>(defs, "ex2@90.approx.ftz");
  declare_f16<TanhF, Unary, true>(defs, "tanh.approx");
  declare_bf16<TanhF, Unary, true>(defs, "tanh@90.approx");
  declare_f16<NegF, Unary, false>(defs, "neg{.ftz}");
  declare_bf16<NegF, Unary, false>(defs, "neg@80");
  declare_f16<AbsF, Unary, false>(defs, "abs{.ftz}");
  declare_bf16<AbsF, Unary, false>(defs, "abs@80");
  declare_comparisons<f16>(defs, "f16", "", "{.ftz}");
  declare_comparisons<bf16>(defs, "bf16", "@90", "");
}

}  // namespace sim::exec
