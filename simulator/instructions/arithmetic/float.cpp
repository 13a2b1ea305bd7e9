// Arithmetic on f32 and f64: IEEE in every rounding mode, with PTX's flushing, saturation and NaN.
#include <cmath>
#include <concepts>
#include <limits>

#include "simulator/instructions/arithmetic/approximate.h"
#include "simulator/instructions/arithmetic/float_rules.h"
#include "simulator/instructions/families.h"
#include "simulator/instructions/lanewise.h"
#include "simulator/instructions/rounding.h"

namespace sim::exec {

namespace {

template <class T>
using Predicate = pred(T);

struct Add {
  template <class T>
  T operator()(T a, T b) const {
    return a + b;
  }
};
struct Sub {
  template <class T>
  T operator()(T a, T b) const {
    return a - b;
  }
};
struct Mul {
  template <class T>
  T operator()(T a, T b) const {
    return a * b;
  }
};
struct Div {
  template <class T>
  T operator()(T a, T b) const {
    return a / b;
  }
};
struct Fma {
  f32 operator()(f32 a, f32 b, f32 c) const { return __builtin_fmaf(a, b, c); }
  f64 operator()(f64 a, f64 b, f64 c) const { return __builtin_fma(a, b, c); }
};
struct Reciprocal {
  template <class T>
  T operator()(T a) const {
    return T(1) / a;
  }
};
struct SquareRoot {
  f32 operator()(f32 a) const { return __builtin_sqrtf(a); }
  f64 operator()(f64 a) const { return __builtin_sqrt(a); }
};

/// An operation in the default rounding mode, flushing and saturating if asked to.
template <class F>
struct Nearest {
  template <std::floating_point... V>
  auto operator()(V... v) const {
    return canonical(F{}(v...));
  }
};
template <class F>
struct NearestFlushed {
  template <std::floating_point... V>
  auto operator()(V... v) const {
    return canonical(flushed(F{}(flushed(v)...)));
  }
};

/// Any modifiers: the host's rounding mode is switched once per warp instruction.
template <class F, class T, class... A>
[[gnu::noinline]] void rounded_loop(T* to, Mods m, const A*... from) {
  write_lanes<false>(to, kAllLanes, [&](int i) {
    T r;
    if constexpr (std::is_same_v<T, f32>) {
      r = m.ftz ? flushed(F{}(flushed(from[i])...)) : F{}(from[i]...);
    } else {
      r = F{}(from[i]...);
    }
    return m.sat ? saturated(r) : canonical(r);
  });
}

template <class F, class T, int N>
void rounded(Warp& w, const Instr& in) {
  const Mods m = in.mods;
  const RoundingScope scope(m.rounding);
  T* to = lanes<T>(w, in.op[0]);
  const auto at = [&](int k) { return static_cast<const T*>(lanes<T>(w, in.op[k])); };
  if constexpr (N == 1) rounded_loop<F>(to, m, at(1));
  if constexpr (N == 2) rounded_loop<F>(to, m, at(1), at(2));
  if constexpr (N == 3) rounded_loop<F>(to, m, at(1), at(2), at(3));
}

template <class F, class T, int N>
[[gnu::cold]] void declare_rounded(InstructionSet& defs, const std::string& pattern) {
  std::vector<OperandSpec> operands(N + 1, {Role::read, type_of<T>()});
  operands[0].role = Role::write;
  defs.custom(pattern, operands, &rounded<F, T, N>, &some_of<&rounded<F, T, N>, sizeof(T)>);
}

template <class F, int N, class Signature32, class Signature64>
[[gnu::cold]] void declare_operation(InstructionSet& defs, const std::string& name,
                                     const std::string& nearest, const std::string& saturating = "{.sat}") {
  defs.lanewise<Signature32>(name + nearest + ".f32", Nearest<F>());
  defs.lanewise<Signature32>(name + nearest + ".ftz.f32", NearestFlushed<F>());
  declare_rounded<F, f32, N>(defs, name + "{.rn,.rz,.rm,.rp}{.ftz}" + saturating + ".f32");
  defs.lanewise<Signature64>(name + nearest + ".f64", Nearest<F>());
  declare_rounded<F, f64, N>(defs, name + "{.rn,.rz,.rm,.rp}.f64");
}

/// Subnormals become a zero of their sign.
f64 flushed(f64 v) { return std::fabs(v) < std::numeric_limits<f64>::min() ? std::copysign(0.0, v) : v; }
f64 upper_half(f64 v) { return flushed(std::bit_cast<f64>(std::bit_cast<u64>(v) & 0xFFFFFFFF00000000ull)); }
using sim::exec::flushed;

struct Approximate {
  static f32 in(f32 v, const Mods& m) { return m.ftz ? flushed(v) : v; }
  static f32 out(f64 v, const Mods& m) { return canonical(m.ftz ? flushed(f32(v)) : f32(v)); }
};

[[gnu::cold]] void declare_approximate(InstructionSet& defs) {
  defs.family("approximate functions");
  using A = Approximate;
  using F1 = Unary<f32>;
  defs.lanewise<F1>("ex2.approx{.ftz}.f32",
                    [](f32 a, const Mods& m) { return A::out(approximate_ex2(A::in(a, m)), m); });
  defs.lanewise<F1>("lg2.approx{.ftz}.f32",
                    [](f32 a, const Mods& m) { return A::out(approximate_lg2(A::in(a, m)), m); });
  defs.lanewise<F1>("sin.approx{.ftz}.f32",
                    [](f32 a, const Mods& m) { return A::out(approximate_sin(A::in(a, m), 0), m); });
  defs.lanewise<F1>("cos.approx{.ftz}.f32",
                    [](f32 a, const Mods& m) { return A::out(approximate_sin(A::in(a, m), 1), m); });
  defs.lanewise<F1>("tanh.approx.f32", [](f32 a, const Mods& m) { return A::out(approximate_tanh(a), m); });
  defs.lanewise<F1>("rcp.approx{.ftz}.f32",
                    [](f32 a, const Mods& m) { return A::out(1.0 / A::in(a, m), m); });
  defs.lanewise<F1>("sqrt.approx{.ftz}.f32",
                    [](f32 a, const Mods& m) { return A::out(__builtin_sqrt(f64(A::in(a, m))), m); });
  defs.lanewise<F1>("rsqrt.approx{.ftz}.f32",
                    [](f32 a, const Mods& m) { return A::out(1.0 / __builtin_sqrt(f64(A::in(a, m))), m); });
  defs.lanewise<Unary<f64>>("rsqrt.approx.f64", [](f64 a) { return 1.0 / __builtin_sqrt(a); });
  // The double approximations give the upper half of the result; programs refine it.
  defs.lanewise<Unary<f64>>("rcp.approx.ftz.f64", [](f64 a) { return upper_half(1.0 / flushed(a)); });
  defs.lanewise<Unary<f64>>("rsqrt.approx.ftz.f64",
                            [](f64 a) { return upper_half(1.0 / __builtin_sqrt(flushed(a))); });
  defs.lanewise<Binary<f32>>("div.full{.ftz}.f32", [](f32 a, f32 b, const Mods& m) {
    return A::out(f64(A::in(a, m)) / A::in(b, m), m);
  });
  defs.lanewise<Binary<f32>>("div.approx{.ftz}.f32", [](f32 a, f32 b, const Mods& m) {
    // The reciprocal of a very large divisor would be subnormal: it becomes zero.
    const bool large = std::fabs(b) > 0x1p126f && std::fabs(b) <= std::numeric_limits<f32>::max();
    const f64 reciprocal = large ? std::copysign(0.0, f64(b)) : 1.0 / f64(A::in(b, m));
    return A::out(large ? f64(A::in(a, m)) * reciprocal : f64(A::in(a, m)) / A::in(b, m), m);
  });
}

}  // namespace

void declare_float(InstructionSet& defs) {
  defs.family("floating point");
  declare_operation<Add, 2, Binary<f32>, Binary<f64>>(defs, "add", "{.rn}");
  declare_operation<Sub, 2, Binary<f32>, Binary<f64>>(defs, "sub", "{.rn}");
  declare_operation<Mul, 2, Binary<f32>, Binary<f64>>(defs, "mul", "{.rn}");
  declare_operation<Fma, 3, Ternary<f32>, Ternary<f64>>(defs, "fma", ".rn");
  declare_operation<Fma, 3, Ternary<f32>, Ternary<f64>>(defs, "mad", "{.rn}");
  declare_operation<Div, 2, Binary<f32>, Binary<f64>>(defs, "div", ".rn", "");
  declare_operation<Reciprocal, 1, Unary<f32>, Unary<f64>>(defs, "rcp", ".rn", "");
  declare_operation<SquareRoot, 1, Unary<f32>, Unary<f64>>(defs, "sqrt", ".rn", "");

  defs.lanewise<Binary<f32>>("min{.ftz}{.NaN@80}.f32",
                             []<class T>(T a, T b, const Mods& m) { return extreme<false>(a, b, m); });
  defs.lanewise<Binary<f64>>("min.f64",
                             []<class T>(T a, T b, const Mods& m) { return extreme<false>(a, b, m); });
  defs.lanewise<Binary<f32>>("max{.ftz}{.NaN@80}.f32",
                             []<class T>(T a, T b, const Mods& m) { return extreme<true>(a, b, m); });
  defs.lanewise<Binary<f64>>("max.f64",
                             []<class T>(T a, T b, const Mods& m) { return extreme<true>(a, b, m); });
  defs.lanewise<Binary<f32>>("min@86{.ftz}{.NaN}.xorsign.abs.f32", [](f32 a, f32 b, const Mods& m) {
    return canonical(
        with_sign(extreme<false>(with_sign(a, false), with_sign(b, false), m), sign_of(a) != sign_of(b)));
  });
  defs.lanewise<Binary<f32>>("max@86{.ftz}{.NaN}.xorsign.abs.f32", [](f32 a, f32 b, const Mods& m) {
    return canonical(
        with_sign(extreme<true>(with_sign(a, false), with_sign(b, false), m), sign_of(a) != sign_of(b)));
  });
  defs.each<Unary, f32, f64>("neg.$",
                             []<class T>(T a) { return a != a ? quieted(a) : with_sign(a, !sign_of(a)); });
  defs.each<Unary, f32, f64>("abs.$", []<class T>(T a) { return a != a ? quieted(a) : with_sign(a, false); });
  defs.lanewise<Unary<f32>>("neg.ftz.f32",
                            [](f32 a) { return canonical(flushed(with_sign(a, !sign_of(a)))); });
  defs.lanewise<Unary<f32>>("abs.ftz.f32", [](f32 a) { return canonical(flushed(with_sign(a, false))); });
  defs.each<Binary, f32, f64>("copysign.$", []<class T>(T sign, T a) { return with_sign(a, sign_of(sign)); });
  defs.each<Predicate, f32, f64>(
      "testp.finite.$", [](auto a) { return std::fabs(a) <= std::numeric_limits<decltype(a)>::max(); });
  defs.each<Predicate, f32, f64>(
      "testp.infinite.$", [](auto a) { return std::fabs(a) > std::numeric_limits<decltype(a)>::max(); });
  defs.each<Predicate, f32, f64>("testp.number.$", [](auto a) { return a == a; });
  defs.each<Predicate, f32, f64>("testp.notanumber.$", [](auto a) { return a != a; });
  defs.each<Predicate, f32, f64>("testp.normal.$", [](auto a) {
    using L = std::numeric_limits<decltype(a)>;
    return a == 0 || (std::fabs(a) >= L::min() && std::fabs(a) <= L::max());  // zeros count as normal
  });
  defs.each<Predicate, f32, f64>("testp.subnormal.$", [](auto a) {
    return std::fabs(a) < std::numeric_limits<decltype(a)>::min() && a != 0;
  });
  declare_approximate(defs);
}

}  // namespace sim::exec
