// cvt from and to pairs of 8-bit floats.
#include "simulator/instructions/convert/fp8.h"

#include "simulator/instructions/families.h"
#include "simulator/instructions/lanewise.h"

namespace sim::exec {

namespace {

template <const Eight& kFormat>
u16 pair_of(f32 high, f32 low, const Mods& m) {
  const auto one = [&](f32 v) { return narrowed(kFormat, m.relu && v <= 0 ? 0 : v); };
  return u16(one(high) << 8 | one(low));
}

template <const Eight& kFormat>
[[gnu::cold]] void declare_format(InstructionSet& defs, const std::string& name) {
  defs.lanewise<u16(f32, f32)>("cvt@89.rn.satfinite{.relu}." + name + "x2.f32",
                               [](f32 a, f32 b, const Mods& m) { return pair_of<kFormat>(a, b, m); });
  defs.lanewise<u16(f16x2)>("cvt@89.rn.satfinite{.relu}." + name + "x2.f16x2", [](f16x2 a, const Mods& m) {
    return pair_of<kFormat>(widened(high(a)), widened(low(a)), m);
  });
  defs.lanewise<f16x2(u16)>("cvt@89.rn{.relu}.f16x2." + name + "x2", [](u16 v, const Mods& m) {
    const auto one = [&](u32 bits) {
      const f32 value = widened(kFormat, bits);
      return to_f16(m.relu && value <= 0 ? 0 : value);
    };
    return pair_of(one(v & 0xFF), one(v >> 8));
  });
}

}  // namespace

void declare_fp8(InstructionSet& defs) {
  defs.family("half precision conversion");
  declare_format<kE4m3>(defs, "e4m3");
  declare_format<kE5m2>(defs, "e5m2");
}

}  // namespace sim::exec
