// cvt between integers and floats of all widths.
#include <cmath>
#include <limits>
#include <utility>

#include "simulator/instructions/arithmetic/float_rules.h"
#include "simulator/instructions/families.h"
#include "simulator/instructions/lanewise.h"
#include "simulator/instructions/rounding.h"

namespace sim::exec {

namespace {

template <class D, class S>
D convert_integer(S v, const Mods& m) {
  if (m.sat) {
    using L = std::numeric_limits<D>;
    const s128 wide = v;
    return D(wide < s128(L::min()) ? s128(L::min()) : wide > s128(L::max()) ? s128(L::max()) : wide);
  }
  return D(v);
}

/// Values beyond the integer's range become its ends; NaN becomes 0.
template <class D, class S>
D float_to_integer(S v, const Mods& m) {
  using L = std::numeric_limits<D>;
  if constexpr (std::is_same_v<S, f32>) {
    if (m.ftz) v = flushed(v);
  }
  const f64 r = integral<f64>(v, m.rounding);
  constexpr f64 kTooHigh = f64(L::max() / 2 + 1) * 2;
  if (!(r == r)) {  // where 64 bits take part, NaN becomes the bits of the least integer
    return sizeof(D) == 8 || sizeof(S) == 8 ? D(u64{1} << (8 * sizeof(D) - 1)) : D(0);
  }
  if (r >= kTooHigh) return L::max();
  if (r < f64(L::min())) return L::min();
  return D(r);
}

template <class D>
D finished(D v, const Mods& m) {
  if constexpr (std::is_same_v<D, f32>) {
    if (m.ftz) v = flushed(v);
  }
  return m.sat ? saturated(v) : canonical(v);
}

/// Between floats: a NaN keeps its payload on the way from f64, and is made anew in f32.
template <class D, class S>
D convert_float(S v, const Mods& m) {
  if constexpr (std::is_same_v<S, f32>) {
    if (m.ftz) v = canonical(flushed(v));
  }
  if constexpr (std::is_same_v<S, f64> && std::is_same_v<D, f32>) {
    if (v != v && !m.sat) return D(v);
  }
  return finished(D(v), m);
}

struct ToInteger {
  template <class D, class S>
  static D run(S v, const Mods& m) {
    if constexpr (std::is_integral_v<S>)
      return convert_integer<D>(v, m);
    else
      return float_to_integer<D>(v, m);
  }
};

/// Between the C++ types of a cvt; what depends on the rounding mode runs with the host's mode switched.
template <class D, class S>
void convert(Warp& w, const Instr& in) {
  const Mods m = in.mods;
  const detail::Source<S> from(w, in.op[1]);
  auto* to = lanes<detail::Lane<D>>(w, in.op[0]);
  if constexpr (std::is_integral_v<D>) {
    write_lanes<false>(to, kAllLanes, [&](int i) { return ToInteger::run<D>(from[i], m); });
  } else {
    const RoundingScope scope(m.rounding);
    write_lanes<false>(to, kAllLanes, [&](int i) { return convert_float<D>(from[i], m); });
  }
}

/// The common case, without modifiers: a plain C++ conversion.
template <bool Masked, class D, class S>
void convert_plain(Warp& w, const Instr& in) {
  const detail::Source<S> from(w, in.op[1]);
  write_lanes<Masked>(lanes<detail::Lane<D>>(w, in.op[0]), w.active, [&](int i) { return D(from[i]); });
}

template <class D, class S>
[[gnu::cold]] void bind_convert(Binding& b) {
  constexpr bool kToInteger = std::is_integral_v<D> && !std::is_integral_v<S>;
  constexpr std::size_t kBytes = sizeof(detail::Lane<D>);
  const Mods& m = b.mods;
  const bool plain = !kToInteger && !m.ftz && !m.sat &&
                     (m.rounding == Rounding::none || m.rounding == Rounding::rn) &&
                     !(std::is_same_v<S, f64> && std::is_same_v<D, f32>);
  if (!plain) {
    b.out.all = &convert<D, S>;
    b.out.some = &some_of<&convert<D, S>, kBytes>;
    return;
  }
  b.out.all = &convert_plain<false, D, S>;
  if constexpr (detail::kFrequent<D> && detail::kFrequent<S>) {
    b.out.some = &convert_plain<true, D, S>;
  } else {
    b.out.some = &some_of<&convert_plain<false, D, S>, kBytes>;
  }
}

/// A source register may be wider than the type converted: its low part counts.
template <class From, class To>
void convert_widths(Warp& w, const Instr& in) {
  // imm: bits of the source and the destination type, and their signs.
  const int source_bits = int(in.imm & 0xFF), target_bits = int(in.imm >> 8 & 0xFF);
  const bool source_signed = in.imm >> 16 & 1, target_signed = in.imm >> 17 & 1;
  const From* from = lanes<From>(w, in.op[1]);
  const auto extended = [](u64 v, int bits, bool is_signed) {
    return is_signed ? u64(s64(v << (64 - bits)) >> (64 - bits)) : v << (64 - bits) >> (64 - bits);
  };
  write_lanes<false>(lanes<To>(w, in.op[0]), kAllLanes, [&](int i) {
    return extended(extended(from[i], source_bits, source_signed), target_bits, target_signed);
  });
}

int bits_of(const std::string& type) { return std::stoi(type.substr(1)); }

[[gnu::cold]] void bind_convert_widths(Binding& b) {
  const std::string &target = b.source.qualifiers[b.source.qualifiers.size() - 2],
                    &source = b.source.qualifiers.back();
  b.out.imm = bits_of(source) | bits_of(target) << 8 | (source[0] == 's') << 16 | (target[0] == 's') << 17;
  const auto pick = [&]<class From>(std::type_identity<From>) {
    const auto to = [&]<class To>(std::type_identity<To>) {
      b.out.all = &convert_widths<From, To>;
      b.out.some = &some_of<&convert_widths<From, To>, sizeof(To)>;
    };
    if (b.bytes[0] == 2) to(std::type_identity<u16>());
    if (b.bytes[0] == 4) to(std::type_identity<u32>());
    if (b.bytes[0] == 8) to(std::type_identity<u64>());
  };
  if (b.bytes[1] == 2) pick(std::type_identity<u16>());
  if (b.bytes[1] == 4) pick(std::type_identity<u32>());
  if (b.bytes[1] == 8) pick(std::type_identity<u64>());
}

/// Rounding to an integer within f32 or f64.
template <class T>
[[gnu::cold]] void declare_integral(InstructionSet& defs, const std::string& name) {
  defs.lanewise<Unary<T>>("cvt(.rni,.rzi,.rmi,.rpi)" + std::string(std::is_same_v<T, f32> ? "{.ftz}" : "") +
                              "{.sat}." + name + "." + name,
                          [](T v, const Mods& m) {
                            if constexpr (std::is_same_v<T, f32>) {
                              if (m.ftz) v = flushed(v);
                            }
                            // Without an instruction for it, a CPU's library lets a signalling NaN pass.
                            return finished(v != v ? quieted(v) : integral(v, m.rounding), m);
                          });
}

template <class D, class S>
[[gnu::cold]] void declare_pair(InstructionSet& defs, const std::string& modifiers) {
  const std::string pattern =
      "cvt" + modifiers + "." + ptx::name_of(type_of<D>()) + "." + ptx::name_of(type_of<S>());
  defs.custom(pattern, {{Role::write, type_of<D>()}, {Role::read, type_of<S>()}}, &bind_convert<D, S>);
}

template <class... T>
struct Types {};
using Integers = Types<u8, u16, u32, u64, s8, s16, s32, s64>;
using NaturalIntegers = Types<u16, u32, u64, s16, s32, s64>;

template <class... T, class F>
void for_types(Types<T...>, F use) {
  (use(std::type_identity<T>()), ...);
}

}  // namespace

void declare_convert(InstructionSet& defs) {
  defs.family("conversion");
  // Where registers have the width of their types, which is nearly always, a plain loop; then any widths.
  for_types(NaturalIntegers(), [&]<class D>(std::type_identity<D>) {
    for_types(NaturalIntegers(), [&]<class S>(std::type_identity<S>) { declare_pair<D, S>(defs, ""); });
  });
#define SIM_INTS "(.u8,.u16,.u32,.u64,.s8,.s16,.s32,.s64)"
  defs.custom("cvt" SIM_INTS SIM_INTS,
              {{Role::write, ptx::Type::u8, 1, false, true}, {Role::read, ptx::Type::u8, 1, false, true}},
              &bind_convert_widths);
#undef SIM_INTS
  for_types(Integers(), [&]<class D>(std::type_identity<D>) {
    for_types(Integers(), [&]<class S>(std::type_identity<S>) {
      using From = std::numeric_limits<S>;
      constexpr bool kHolds = std::in_range<D>(From::min()) && std::in_range<D>(From::max());
      if constexpr (!kHolds) declare_pair<D, S>(defs, ".sat");  // where it could not act, PTX forbids it
    });
    declare_pair<D, f32>(defs, "(.rni,.rzi,.rmi,.rpi){.ftz}{.sat}");
    declare_pair<D, f64>(defs, "(.rni,.rzi,.rmi,.rpi){.sat}");
    declare_pair<f32, D>(defs, "(.rn,.rz,.rm,.rp){.sat}");
    declare_pair<f64, D>(defs, "(.rn,.rz,.rm,.rp){.sat}");
  });
  for_types(Types<u8, s8, u16, s16>(), [&]<class D>(std::type_identity<D>) {  // into a register of 32 bits
    const std::string modes = "cvt(.rni,.rzi,.rmi,.rpi)",
                      to = "{.sat}." + std::string(ptx::name_of(type_of<D>()));
    defs.lanewise<u32(f32)>(modes + "{.ftz}" + to + ".f32",
                            [](f32 v, const Mods& m) { return u32(s32(float_to_integer<D>(v, m))); });
    defs.lanewise<u32(f64)>(modes + to + ".f64",
                            [](f64 v, const Mods& m) { return u32(s32(float_to_integer<D>(v, m))); });
  });
  declare_pair<f32, f64>(defs, "(.rn,.rz,.rm,.rp){.ftz}{.sat}");
  declare_pair<f64, f32>(defs, "{.ftz}{.sat}");
  declare_pair<f32, f32>(defs, "{.ftz}{.sat}");
  declare_pair<f64, f64>(defs, "{.sat}");
  declare_integral<f32>(defs, "f32");
  declare_integral<f64>(defs, "f64");
}

}  // namespace sim::exec
