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
void declare_f16(InstructionSet& defs, const std::string& name) {
  defs.lanewise<Signature<f16>>(name + ".f16", One<F, f16, kPlain>());
  defs.lanewise<Signature<f16x2>>(name + ".f16x2", Both<F, f16, kPlain>());
}

/// The same for bf16, which has fewer modifiers.
template <class F, template <class> class Signature, bool kPlain>
void declare_bf16(InstructionSet& defs, const std::string& name) {
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

template <class H>
bool compares_values(H a, H b, const Mods& m) {
  const f32 x = Scalar<H, false>::in(a, m), y = Scalar<H, false>::in(b, m);
  bool result = false;
  with_compare(m.compare, true,
               [&]<Compare C>(std::integral_constant<Compare, C>) { result = compares<C>(x, y); });
  return result;
}

template <bool Masked, class H>
void set_pair_predicates(Warp& w, const Instr& in) {
  using P = typename PairOf<H>::type;
  const P *a = lanes<P>(w, in.op[2]), *b = lanes<P>(w, in.op[3]);
  const Mods m = in.mods;
  Mask p = 0, q = 0;
  for (int i = 0; i < kLanes; ++i) {
    p |= compares_values(low(a[i]), low(b[i]), m) ? kLaneBit[std::size_t(i)] : 0;
    q |= compares_values(high(a[i]), high(b[i]), m) ? kLaneBit[std::size_t(i)] : 0;
  }
  const Mask c = predicate(w, in.op[4]) ^ (m.negated ? kAllLanes : 0), active = w.active;
  const auto put = [&](OperandRef ref, Mask value) {
    Mask& to = predicate(w, ref);
    to = Masked ? (value & active) | (to & ~active) : value;
  };
  put(in.op[1], combined(m.combine, q, c));
  put(in.op[0], combined(m.combine, p, c));
}

template <bool Masked, class H>
void set_predicate(Warp& w, const Instr& in) {
  const H *a = lanes<H>(w, in.op[2]), *b = lanes<H>(w, in.op[3]);
  const Mods m = in.mods;
  Mask p = 0;
  for (int i = 0; i < kLanes; ++i) p |= compares_values(a[i], b[i], m) ? kLaneBit[std::size_t(i)] : 0;
  const Mask c = predicate(w, in.op[4]) ^ (m.negated ? kAllLanes : 0), active = w.active;
  const auto put = [&](OperandRef ref, Mask value) {
    Mask& to = predicate(w, ref);
    to = Masked ? (value & active) | (to & ~active) : value;
  };
  put(in.op[1], combined(m.combine, ~p, c));
  put(in.op[0], combined(m.combine, p, c));
}

/// set d, a, b{, c}: a number or all ones where the comparison, combined with c, holds.
template <bool Masked, class D, class T>
void set_values_of_halves(Warp& w, const Instr& in) {
  constexpr bool kPair = sizeof(T) == 4;
  using H = std::conditional_t<std::is_same_v<T, f16x2> || std::is_same_v<T, f16>, f16, bf16>;
  constexpr u32 kOne = std::is_same_v<H, f16> ? 0x3C00 : 0x3F80;
  constexpr bool kNumber = std::is_same_v<D, T>;
  const T *a = lanes<T>(w, in.op[1]), *b = lanes<T>(w, in.op[2]);
  const Mods m = in.mods;
  const Mask c = predicate(w, in.op[3]) ^ (m.negated ? kAllLanes : 0);
  using B = BitsOf<D>;
  write_lanes<Masked>(reinterpret_cast<B*>(lanes<D>(w, in.op[0])), w.active, [&](int i) {
    const auto holds = [&](bool r) { return (combined(m.combine, r ? 1 : 0, c >> i & 1) & 1) != 0; };
    if constexpr (kPair) {
      const u32 yes = kNumber ? kOne : 0xFFFF;
      return B((holds(compares_values(low(a[i]), low(b[i]), m)) ? yes : 0) |
               (holds(compares_values(high(a[i]), high(b[i]), m)) ? yes << 16 : 0));
    } else {
      return B(holds(compares_values(a[i], b[i], m)) ? (kNumber ? kOne : ~u32{0}) : 0);
    }
  });
}

template <class D, class T>
void declare_set_to(InstructionSet& defs, const std::string& pattern) {
  const OperandSpec value{Role::read, type_of<T>()};
  defs.custom(pattern, {{Role::write, type_of<D>()}, value, value, {Role::read, ptx::Type::pred, 1, true}},
              &set_values_of_halves<false, D, T>, &set_values_of_halves<true, D, T>);
}

template <class H>
void declare_comparisons(InstructionSet& defs, const std::string& type, const std::string& since,
                         const std::string& ftz) {
  using P = typename PairOf<H>::type;
  const std::string compare = "(.eq,.ne,.lt,.le,.gt,.ge,.equ,.neu,.ltu,.leu,.gtu,.geu,.num,.nan)";
  const OperandSpec one{Role::read, type_of<H>()}, two{Role::read, type_of<P>()};
  const OperandSpec to{Role::pair, ptx::Type::pred}, with{Role::read, ptx::Type::pred, 1, true};
  for (auto& [pattern, operand, all, some] :
       {std::tuple{type, one, &set_predicate<false, H>, &set_predicate<true, H>},
        std::tuple{type + "x2", two, &set_pair_predicates<false, H>, &set_pair_predicates<true, H>}}) {
    defs.custom("setp" + since + compare + "{.and,.or,.xor}" + ftz + "." + pattern,
                {to, operand, operand, with}, all, some);
  }
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
