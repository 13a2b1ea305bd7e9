// cvt from and to the 16-bit floats, pairs of them, and tf32.
#include <limits>

#include "simulator/instructions/convert/half.h"
#include "simulator/instructions/families.h"
#include "simulator/instructions/lanewise.h"

namespace sim::exec {

namespace {

/// A binary floating-point format: bits of the fraction, and the exponent of its least normal value.
struct Format {
  int fraction, least_exponent;
  f64 greatest;
};
constexpr Format kF16{10, -14, 65504.0}, kBf16{7, -126, 0x1.FEp127}, kTf32{10, -126, 0x1.FFCp127};

/// The value of the format nearest to v in a mode other than the default one.
f64 rounded_to(const Format& format, f64 v, Rounding mode) {
  if (!std::isfinite(v) || v == 0) return v;
  const int exponent = std::max(std::ilogb(v), format.least_exponent) - format.fraction;
  const f64 quotient = std::ldexp(v, -exponent);
  const f64 r = std::ldexp(mode == Rounding::rna ? std::round(quotient) : integral(quotient, mode), exponent);
  if (std::fabs(r) <= format.greatest) return r;
  const bool stays =
      mode == Rounding::rz || (mode == Rounding::rm && v > 0) || (mode == Rounding::rp && v < 0);
  return stays ? std::copysign(format.greatest, v) : std::copysign(HUGE_VAL, v);
}

template <class H>
constexpr const Format& format_of() {
  return std::is_same_v<H, f16> ? kF16 : kBf16;
}

/// A NaN of f64 keeps its sign and the upper part of its payload.
template <class H>
H nan_of(f64 v) {
  constexpr int kFraction = std::is_same_v<H, f16> ? 10 : 7;
  const u64 bits = std::bit_cast<u64>(v);
  return H{u16((bits >> 48 & 0x8000) | (0x7FFF & ~((u64{1} << kFraction) - 1)) |
               (bits >> (52 - kFraction) & ((u64{1} << kFraction) - 1)) | u64{1} << (kFraction - 1))};
}

/// Any number to a 16-bit float.
template <class H, class V>
H narrowed(V v, const Mods& m) {
  if constexpr (std::is_same_v<V, f64>) {
    if (v != v && !m.sat) return nan_of<H>(v);
  }
  // .ftz has no effect: what it would flush rounds to zero, and with .rm and .rp the hardware does not flush.
  if (m.relu) v = v <= 0 ? 0 : v;
  f64 exact = f64(v);
  if constexpr (std::is_same_v<V, s64> || std::is_same_v<V, u64>) {
    // 64 bits do not fit f64: keep what is lost as a sticky bit.
    const u64 magnitude = v < 0 ? u64(0) - u64(v) : u64(v);
    const u64 sticky = magnitude >> 40 != 0
                           ? (magnitude & ~u64{0xFFF}) | ((magnitude & 0xFFF) != 0 ? 0x1000 : 0)
                           : magnitude;
    exact = v < 0 ? -f64(sticky) : f64(sticky);
  }
  if (m.sat == kToFinite) {
    exact = v == v ? std::fmin(std::fmax(exact, -format_of<H>().greatest), format_of<H>().greatest) : exact;
  }
  if (m.sat == kToUnit) exact = saturated(exact);
  const bool nearest = m.rounding == Rounding::rn || m.rounding == Rounding::none;
  return rounded_as(H{}, nearest ? exact : rounded_to(format_of<H>(), exact, m.rounding));
}

template <class D>
D to_integer(f32 v, const Mods& m) {
  using L = std::numeric_limits<D>;
  const f64 r = integral<f64>(v, m.rounding);
  if (r != r) return sizeof(D) == 8 ? D(u64{1} << 63) : D(0);
  if (r >= f64(L::max() / 2 + 1) * 2) return L::max();
  if (r < f64(L::min())) return L::min();
  return D(r);
}

template <class H>
[[gnu::cold]] void declare_for(InstructionSet& defs, const std::string& h) {
  // bf16 came with sm_80, to and from f32 only.
  constexpr bool kBrain = std::is_same_v<H, bf16>;
  const std::string cvt = kBrain ? "cvt@90" : "cvt", early = kBrain ? "cvt@80" : "cvt",
                    sat = kBrain ? "" : "{.sat}";
  const auto integers = [&]<class... T>(std::type_identity<T>...) {
    (defs.lanewise<H(T)>(cvt + "(.rn,.rz,.rm,.rp)" + sat + "." + h + "." + ptx::name_of(type_of<T>()),
                         [](T v, const Mods& m) { return narrowed<H>(v, m); }),
     ...);
    (defs.lanewise<T(H)>(cvt + "(.rni,.rzi,.rmi,.rpi)" + sat + "." + ptx::name_of(type_of<T>()) + "." + h,
                         [](H v, const Mods& m) { return to_integer<T>(widened(v), m); }),
     ...);
  };
  const auto into_wider = [&]<class... T>(std::type_identity<T>...) {
    (defs.lanewise<u32(H)>(cvt + "(.rni,.rzi,.rmi,.rpi)" + sat + "." + ptx::name_of(type_of<T>()) + "." + h,
                           [](H v, const Mods& m) { return u32(s32(to_integer<T>(widened(v), m))); }),
     ...);
  };
  if constexpr (kBrain) {  // bytes do not become bf16
    into_wider(std::type_identity<u16>(), std::type_identity<s16>());
  } else {
    into_wider(std::type_identity<u8>(), std::type_identity<s8>(), std::type_identity<u16>(),
               std::type_identity<s16>());
    integers(std::type_identity<u8>(), std::type_identity<s8>());
  }
  integers(std::type_identity<u16>(), std::type_identity<s16>(), std::type_identity<u32>(),
           std::type_identity<s32>(), std::type_identity<u64>(), std::type_identity<s64>());
  defs.lanewise<H(f32)>(early + ".rn." + h + ".f32", [](f32 v) { return rounded_as(H{}, v); });
  defs.lanewise<H(f32)>(early +
                            (kBrain ? "(.rn,.rz,.rm,.rp){.relu}{.satfinite}."
                                    : "(.rn,.rz,.rm,.rp){.ftz}{.relu@80}{.satfinite}{.sat}.") +
                            h + ".f32",
                        [](f32 v, const Mods& m) { return narrowed<H>(v, m); });
  defs.lanewise<H(f64)>(cvt + "(.rn,.rz,.rm,.rp)" + sat + "." + h + ".f64",
                        [](f64 v, const Mods& m) { return narrowed<H>(v, m); });
  defs.lanewise<f32(H)>(early + (kBrain ? "{.ftz@90}.f32." : "{.ftz}{.sat}.f32.") + h,
                        [](H v, const Mods& m) {
                          if constexpr (std::is_same_v<H, bf16>)
                            return m.ftz ? canonical(flushed(widened(v))) : widened(v);
                          return m.sat ? saturated(widened(v)) : canonical(widened(v));
                        });
  defs.lanewise<f64(H)>(cvt + sat + ".f64." + h, [](H v, const Mods& m) {
    return m.sat ? saturated(f64(widened(v))) : f64(widened(v));
  });
  defs.lanewise<H(H)>(cvt + "{.rni,.rzi,.rmi,.rpi}" + sat + "." + h + "." + h, [](H v, const Mods& m) {
    const f32 wide = m.rounding == Rounding::none ? widened(v) : integral(widened(v), m.rounding);
    return rounded_as(H{}, m.sat ? saturated(wide) : wide);
  });
}

}  // namespace

void declare_half_convert(InstructionSet& defs) {
  defs.family("half precision conversion");
  declare_for<f16>(defs, "f16");
  declare_for<bf16>(defs, "bf16");
  defs.lanewise<bf16(f16)>("cvt@90(.rn,.rz,.rm,.rp).bf16.f16",
                           [](f16 v, const Mods& m) { return narrowed<bf16>(widened(v), m); });
  defs.lanewise<f16(bf16)>("cvt@90(.rn,.rz,.rm,.rp).f16.bf16",
                           [](bf16 v, const Mods& m) { return narrowed<f16>(widened(v), m); });
  // The first source becomes the upper half.
  defs.lanewise<f16x2(f32, f32)>(
      "cvt@80(.rn,.rz){.relu}{.satfinite}.f16x2.f32",
      [](f32 a, f32 b, const Mods& m) { return pair_of(narrowed<f16>(b, m), narrowed<f16>(a, m)); });
  defs.lanewise<bf16x2(f32, f32)>(
      "cvt@80(.rn,.rz){.relu}{.satfinite}.bf16x2.f32",
      [](f32 a, f32 b, const Mods& m) { return pair_of(narrowed<bf16>(b, m), narrowed<bf16>(a, m)); });
  defs.lanewise<u32(f32)>("cvt@90(.rn,.rz){.relu}.tf32.f32", [](f32 v, const Mods& m) {
    if (v != v) return 0x7FFFE000u;
    if (m.relu) v = v <= 0 ? 0 : v;
    return std::bit_cast<u32>(f32(rounded_to(kTf32, v, m.rounding)));
  });
  defs.lanewise<u32(f32)>("cvt@80.rna{.satfinite}.tf32.f32", [](f32 v, const Mods& m) {
    const u32 bits = std::bit_cast<u32>(v);
    const bool finite = (bits & 0x7F800000u) != 0x7F800000u;
    const u32 result = (finite ? bits + 0x1000 : bits) & 0xFFFFE000u;
    // What is not finite becomes the value below it: of infinity, the greatest there is.
    return m.sat && (result & 0x7F800000u) == 0x7F800000u ? result - 0x2000 : result;
  });
}

}  // namespace sim::exec
