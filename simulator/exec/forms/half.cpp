// Arithmetic on f16, bf16 and pairs of them. Each value is computed in f32 or f64 and rounded once.
#include "simulator/exec/forms/half.h"

#include <concepts>

#include "simulator/exec/forms/approximate.h"
#include "simulator/exec/forms/compare.h"
#include "simulator/exec/forms/families.h"

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
    if constexpr (kPlain || std::is_same_v<H, bf16>) return v;
    return m.ftz && std::fabs(v) < 0x1p-14f ? with_sign(0.0f, sign_of(v)) : v;
  }
  template <class V>
  SIM_INLINE static H out(V v, const Mods& m) {
    if constexpr (kPlain) return rounded_as(H{}, v);
    if (m.sat) v = saturated(v);
    if (m.relu) v = v <= 0 ? 0 : v;
    const H result = rounded_as(H{}, v);
    const bool tiny = m.ftz && std::is_same_v<H, f16> && (u32(result) & 0x7C00) == 0;
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

template <class F, template <class> class Signature, bool kPlain>
void declare_halves(Forms& forms, const std::string& name) {
  forms.lanewise<Signature<f16>>(name + ".f16", One<F, f16, kPlain>());
  forms.lanewise<Signature<f16x2>>(name + ".f16x2", Both<F, f16, kPlain>());
  forms.lanewise<Signature<bf16>>(name + ".bf16", One<F, bf16, kPlain>());
  forms.lanewise<Signature<bf16x2>>(name + ".bf16x2", Both<F, bf16, kPlain>());
}

/// Declares an operation for f16, bf16 and their pairs: the bare name fast, the name with modifiers in full.
template <class F, template <class> class Signature>
void declare_all_halves(Forms& forms, const std::string& name, const std::string& modifiers) {
  declare_halves<F, Signature, true>(forms, name);
  declare_halves<F, Signature, false>(forms, name + modifiers);
}

/// Signs are changed without looking at the value.
template <u32 kFlip, u32 kClear>
struct Signs {
  template <class T>
  T operator()(T a) const {
    using B = BitsOf<T>;
    return T{B((B(a) & ~B(kClear)) ^ B(kFlip))};
  }
};

template <class F>
void declare_signs(Forms& forms, const std::string& name, F f) {
  forms.lanewise<Unary<f16>>(name + "{.ftz}.f16", f);
  forms.lanewise<Unary<bf16>>(name + ".bf16", f);
  forms.lanewise<Unary<f16x2>>(name + "{.ftz}.f16x2", f);
  forms.lanewise<Unary<bf16x2>>(name + ".bf16x2", f);
}

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

template <class H>
void declare_comparisons(Forms& forms, const std::string& type) {
  using P = typename PairOf<H>::type;
  const std::string compare = "(.eq,.ne,.lt,.le,.gt,.ge,.equ,.neu,.ltu,.leu,.gtu,.geu,.num,.nan)";
  const OperandSpec one{Role::read, type_of<H>()}, two{Role::read, type_of<P>()};
  const OperandSpec to{Role::pair, ptx::Type::pred}, with{Role::read, ptx::Type::pred, 1, true};
  for (auto& [pattern, operand, all, some] :
       {std::tuple{type, one, &set_predicate<false, H>, &set_predicate<true, H>},
        std::tuple{type + "x2", two, &set_pair_predicates<false, H>, &set_pair_predicates<true, H>}}) {
    forms.custom("setp" + compare + "{.and,.or,.xor}{.ftz}." + pattern, {to, operand, operand, with}, all,
                 some);
  }
  forms.lanewise<H(H, H)>("set" + compare + "{.ftz}." + type + "." + type, [](H a, H b, const Mods& m) {
    return H{u16(compares_values(a, b, m) ? (std::is_same_v<H, f16> ? 0x3C00 : 0x3F80) : 0)};
  });
  forms.lanewise<P(P, P)>("set" + compare + "{.ftz}." + type + "x2." + type + "x2",
                          [](P a, P b, const Mods& m) {
                            const u32 one = std::is_same_v<H, f16> ? 0x3C00 : 0x3F80;
                            return P{(compares_values(low(a), low(b), m) ? one : 0) |
                                     (compares_values(high(a), high(b), m) ? one << 16 : 0)};
                          });
  forms.lanewise<u32(P, P)>("set" + compare + "{.ftz}.u32." + type + "x2", [](P a, P b, const Mods& m) {
    return (compares_values(low(a), low(b), m) ? 0xFFFFu : 0) |
           (compares_values(high(a), high(b), m) ? 0xFFFF0000u : 0);
  });
  forms.lanewise<u16(H, H)>("set" + compare + "{.ftz}.u16." + type, [](H a, H b, const Mods& m) {
    return u16(compares_values(a, b, m) ? 0xFFFF : 0);
  });
}

}  // namespace

void declare_half(Forms& forms) {
  forms.family("half precision");
  declare_all_halves<AddF, Binary>(forms, "add{.rn}", "{.ftz}{.sat}");
  declare_all_halves<SubF, Binary>(forms, "sub{.rn}", "{.ftz}{.sat}");
  declare_all_halves<MulF, Binary>(forms, "mul{.rn}", "{.ftz}{.sat}");
  declare_all_halves<FmaF, Ternary>(forms, "fma.rn", "{.ftz}{.sat}{.relu}");
  declare_all_halves<MinF, Binary>(forms, "min", "{.ftz}{.NaN}");
  declare_all_halves<MaxF, Binary>(forms, "max", "{.ftz}{.NaN}");
  declare_all_halves<Ex2F, Unary>(forms, "ex2.approx", ".ftz");
  declare_halves<TanhF, Unary, true>(forms, "tanh.approx");
  declare_signs(forms, "neg", Signs<0x80008000u, 0>());
  declare_signs(forms, "abs", Signs<0, 0x80008000u>());
  declare_comparisons<f16>(forms, "f16");
  declare_comparisons<bf16>(forms, "bf16");
}

}  // namespace sim::exec
