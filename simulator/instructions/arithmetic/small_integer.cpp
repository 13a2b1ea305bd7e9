// Integers in parts of a register, and the rarer integer instructions.
#include <algorithm>

#include "simulator/decode/code.h"
#include "simulator/instructions/families.h"
#include "simulator/instructions/lanewise.h"

namespace sim::exec {

namespace {

/// The same on both halves of a register.
template <class T, class F>
u32 on_halves(u32 a, u32 b, F f) {
  const auto half = [&](int shift) { return u32(u16(f(T(a >> shift), T(b >> shift)))) << shift; };
  return half(0) | half(16);
}

template <class T>
[[gnu::cold]] void declare_halves(InstructionSet& defs, const std::string& type) {
  defs.lanewise<Binary<u32>>("add@90." + type,
                             [](u32 a, u32 b) { return on_halves<T>(a, b, [](T x, T y) { return x + y; }); });
  defs.lanewise<Binary<u32>>("min@90." + type, [](u32 a, u32 b) {
    return on_halves<T>(a, b, [](T x, T y) { return y < x ? y : x; });
  });
  defs.lanewise<Binary<u32>>("max@90." + type, [](u32 a, u32 b) {
    return on_halves<T>(a, b, [](T x, T y) { return x < y ? y : x; });
  });
}

s64 signed24(u32 v) { return s32(v << 8) >> 8; }
u32 clamped(s64 v) { return u32(s32(std::clamp<s64>(v, INT32_MIN, INT32_MAX))); }

/// The low n bits, extended by their sign or by zeros.
template <bool kSigned>
u32 extended(u32 a, u32 n, bool wraps) {
  n = wraps ? n & 31 : std::min(n, u32{32});
  if (n == 0) return 0;
  return kSigned ? u32(s32(a << (32 - n)) >> (32 - n)) : a << (32 - n) >> (32 - n);
}

/// The place of the n-th set bit from `base` on, upwards or downwards.
u32 find_nth(u32 mask, u32 base, s32 n) {
  if (n == 0) return base < 32 && (mask >> base & 1) ? base : ~u32{0};
  const int step = n > 0 ? 1 : -1;
  s64 left = n > 0 ? s64(n) - 1 : -s64(n) - 1;
  for (s64 at = base; at >= 0 && at < 32; at += step) {
    if ((mask >> at & 1) && left-- == 0) return u32(at);
  }
  return ~u32{0};
}

/// cvt.pack: a and b, brought into a range of `Bits` bits; with c, they come below its lower part.
template <int Bits, bool kSigned>
u32 packed(u32 a, u32 b, u32 c) {
  const auto into = [](u32 v) {
    const s64 low = kSigned ? -(s64{1} << (Bits - 1)) : 0, high = (s64{1} << (Bits - kSigned)) - 1;
    return u32(std::clamp<s64>(s32(v), low, high)) & u32((u64{1} << Bits) - 1);
  };
  const u32 pair = into(a) << Bits | into(b);
  return Bits == 16 ? pair : c << (2 * Bits) % 32 | pair;
}

/// lop3 with a predicate: d = any function of three bits; p = (d is not zero) op q.
template <bool Masked>
void look_up_with(Warp& w, const Instr& in) {
  const WideOperands& wide = *in.wide;
  const u32 *a = lanes<u32>(w, wide.op[2]), *b = lanes<u32>(w, wide.op[3]), *c = lanes<u32>(w, wide.op[4]);
  const u32 table = lanes<u32>(w, wide.op[5])[0];
  Mask set = 0;
  u32* const to = lanes<u32>(w, wide.op[0]);
  for (int i = 0; i < kLanes; ++i) {
    u32 r = 0;
    for (u32 k = 0; k < 8; ++k) {
      if (table >> k & 1) r |= (k & 4 ? a[i] : ~a[i]) & (k & 2 ? b[i] : ~b[i]) & (k & 1 ? c[i] : ~c[i]);
    }
    set |= r != 0 ? kLaneBit[std::size_t(i)] : 0;
    if (!Masked || (w.active & kLaneBit[std::size_t(i)])) to[i] = r;
  }
  const Mask q = predicate(w, wide.op[6]) ^ (wide.mods.negated ? kAllLanes : 0);
  const Mask result = wide.mods.combine == BoolOp::or_ ? set | q : set & q;
  Mask& p = predicate(w, wide.op[1]);
  p = Masked ? (result & w.active) | (p & ~w.active) : result;
}

}  // namespace

void declare_small_integer(InstructionSet& defs) {
  defs.family("integer");
  declare_halves<u16>(defs, "u16x2");
  declare_halves<s16>(defs, "s16x2");
  defs.lanewise<Binary<u32>>("min@90{.relu}.s16x2{.relu}", [](u32 a, u32 b) {
    return on_halves<s16>(a, b, [](s16 x, s16 y) { return std::max<s16>(std::min(x, y), 0); });
  });
  defs.lanewise<Binary<u32>>("max@90{.relu}.s16x2{.relu}", [](u32 a, u32 b) {
    return on_halves<s16>(a, b, [](s16 x, s16 y) { return std::max<s16>(std::max(x, y), 0); });
  });
  defs.lanewise<Ternary<u32>>(
      "mad24.hi.u32", [](u32 a, u32 b, u32 c) { return u32(u64(a & 0xFFFFFF) * (b & 0xFFFFFF) >> 16) + c; });
  defs.lanewise<Ternary<u32>>("mad24.hi.s32",
                              [](u32 a, u32 b, u32 c) { return u32(signed24(a) * signed24(b) >> 16) + c; });
  defs.lanewise<Ternary<u32>>("mad24.hi.sat.s32", [](u32 a, u32 b, u32 c) {
    return clamped(s64(s32(signed24(a) * signed24(b) >> 16)) + s32(c));
  });
  defs.lanewise<Binary<u32>>("szext.clamp.u32", [](u32 a, u32 n) { return extended<false>(a, n, false); });
  defs.lanewise<Binary<u32>>("szext.clamp.s32", [](u32 a, u32 n) { return extended<true>(a, n, false); });
  defs.lanewise<Binary<u32>>("szext.wrap.s32", [](u32 a, u32 n) { return extended<true>(a, n, true); });
  defs.lanewise<u32(u32, u32, s32)>("fns.b32",
                                    [](u32 mask, u32 base, s32 n) { return find_nth(mask, base, n); });
  defs.lanewise<Binary<u32>>("cvt.pack.sat.u16.s32", [](u32 a, u32 b) { return packed<16, false>(a, b, 0); });
  defs.lanewise<Binary<u32>>("cvt.pack.sat.s16.s32", [](u32 a, u32 b) { return packed<16, true>(a, b, 0); });
  defs.lanewise<Ternary<u32>>("cvt.pack.sat.u8.s32.b32",
                              [](u32 a, u32 b, u32 c) { return packed<8, false>(a, b, c); });
  defs.lanewise<Ternary<u32>>("cvt.pack.sat.s8.s32.b32",
                              [](u32 a, u32 b, u32 c) { return packed<8, true>(a, b, c); });
  defs.lanewise<Ternary<u32>>("cvt.pack.sat.u4.s32.b32",
                              [](u32 a, u32 b, u32 c) { return packed<4, false>(a, b, c); });
  defs.lanewise<Ternary<u32>>("cvt.pack.sat.s4.s32.b32",
                              [](u32 a, u32 b, u32 c) { return packed<4, true>(a, b, c); });
  defs.lanewise<Ternary<u32>>("cvt.pack.sat.u2.s32.b32",
                              [](u32 a, u32 b, u32 c) { return packed<2, false>(a, b, c); });
  defs.lanewise<Ternary<u32>>("cvt.pack.sat.s2.s32.b32",
                              [](u32 a, u32 b, u32 c) { return packed<2, true>(a, b, c); });
  const OperandSpec from{Role::read, ptx::Type::u32};
  defs.custom("lop3(.or,.and).b32",
              {{Role::pair, ptx::Type::u32}, from, from, from, from, {Role::read, ptx::Type::pred}},
              &look_up_with<false>, &look_up_with<true>)
      .wide = true;
}

}  // namespace sim::exec
