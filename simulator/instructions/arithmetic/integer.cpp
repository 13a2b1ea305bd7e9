// Integer arithmetic. Overflow wraps, division by zero gives all ones as the hardware does, shifts clamp.
#include <limits>

#include "simulator/instructions/families.h"
#include "simulator/instructions/lanewise.h"

namespace sim::exec {

namespace {

template <class T>
using Wider = std::conditional_t<
    std::is_signed_v<T>,
    std::conditional_t<sizeof(T) == 2, s32, std::conditional_t<sizeof(T) == 4, s64, s128>>,
    std::conditional_t<sizeof(T) == 2, u32, std::conditional_t<sizeof(T) == 4, u64, u128>>>;

template <class T>
using Widening = Wider<T>(T, T);
template <class T>
using WideningAdd = Wider<T>(T, T, Wider<T>);
template <class T>
using Count = u32(T);
template <class T>
using BitField = T(T, u32, u32);
template <class T>
using BitInsert = T(T, T, u32, u32);
template <class T>
using AbsoluteDifference = T(T, T, T);

constexpr auto high_half = []<class T>(T a, T b) {
  return T((Wider<T>(a) * Wider<T>(b)) >> (8 * sizeof(T)));
};

s32 clamp_s32(s64 v) {
  return s32(
      std::min<s64>(std::max<s64>(v, std::numeric_limits<s32>::min()), std::numeric_limits<s32>::max()));
}

template <class T>
T divide(T a, T b) {
  if (b == 0) return T(-1);
  if constexpr (std::is_signed_v<T>)
    if (b == -1) return T(0 - a);
  return T(a / b);
}
template <class T>
T remainder(T a, T b) {
  if (b == 0) return T(-1);
  if constexpr (std::is_signed_v<T>)
    if (b == -1) return 0;
  return T(a % b);
}

/// Bits [from, from + length) of a, extended by its sign when T is signed.
template <class T>
T bit_field(T a, u32 from, u32 length) {
  constexpr u32 kBits = 8 * sizeof(T);
  using U = std::make_unsigned_t<T>;
  from &= 0xFF;
  length &= 0xFF;
  if (length == 0) return 0;
  const bool negative = std::is_signed_v<T> && (U(a) >> std::min(from + length - 1, kBits - 1) & 1);
  const U taken = from >= kBits ? U(0) : U(U(a) >> from);
  // Bits past the top of the value repeat its sign.
  const u32 valid = std::min(length, from >= kBits ? 0 : kBits - from);
  const U mask = valid >= kBits ? U(~U(0)) : U((U(1) << valid) - 1);
  return T((taken & mask) | (negative ? U(~mask) : U(0)));
}

template <class T>
T bit_insert(T field, T into, u32 from, u32 length) {
  constexpr u32 kBits = 8 * sizeof(T);
  from &= 0xFF;
  length &= 0xFF;
  if (from >= kBits || length == 0) return into;
  const T ones = length >= kBits ? T(~T(0)) : T((T(1) << length) - 1);
  const T mask = T(ones << from);
  return T((into & ~mask) | ((field << from) & mask));
}

/// Position of the highest bit that differs from the sign; all ones when there is none.
template <class T, bool ShiftAmount>
u32 find_bit(T a) {
  using U = std::make_unsigned_t<T>;
  constexpr int kBits = 8 * sizeof(T);
  const U magnitude = std::is_signed_v<T> && a < 0 ? U(~a) : U(a);
  if (magnitude == 0) return ~u32{0};
  const int zeros = std::countl_zero(magnitude);
  return ShiftAmount ? u32(zeros) : u32(kBits - 1 - zeros);
}

template <class T>
T reverse_bits(T v) {
  constexpr int kBits = 8 * sizeof(T);
  T mask = T(~T(0));
  for (int shift = kBits / 2; shift > 0; shift /= 2) {
    mask = T(mask ^ (mask << shift));
    v = T(((v >> shift) & mask) | ((v << shift) & ~mask));
  }
  return v;
}

s32 byte_of(u32 v, int i, bool is_signed) { return is_signed ? s32(s8(v >> 8 * i)) : s32(u8(v >> 8 * i)); }
template <bool SignedA, bool SignedB>
u32 dot4(u32 a, u32 b, u32 c) {
  for (int i = 0; i < 4; ++i) c += u32(byte_of(a, i, SignedA) * byte_of(b, i, SignedB));
  return c;
}
template <bool SignedA, bool SignedB, int Half>
u32 dot2(u32 a, u32 b, u32 c) {
  for (int i = 0; i < 2; ++i) {
    const s32 x = SignedA ? s32(s16(a >> 16 * i)) : s32(u16(a >> 16 * i));
    c += u32(x * byte_of(b, i + 2 * Half, SignedB));
  }
  return c;
}

template <bool SignedA, bool SignedB>
[[gnu::cold]] void declare_dot2(InstructionSet& defs, const std::string& types) {
  defs.lanewise<Ternary<u32>>("dp2a.lo" + types,
                              [](u32 a, u32 b, u32 c) { return dot2<SignedA, SignedB, 0>(a, b, c); });
  defs.lanewise<Ternary<u32>>("dp2a.hi" + types,
                              [](u32 a, u32 b, u32 c) { return dot2<SignedA, SignedB, 1>(a, b, c); });
}

/// Arithmetic with carry (add.cc, addc and so on): the carry is one bit per lane of the warp.
template <class T, bool Subtract, bool Multiply, bool High, bool CarryIn, bool CarryOut>
void carrying(Warp& w, const Instr& in) {
  T* to = lanes<T>(w, in.op[0]);
  const T *a = lanes<T>(w, in.op[1]), *b = lanes<T>(w, in.op[2]);
  const T* c = Multiply ? lanes<T>(w, in.op[3]) : nullptr;
  Mask carry = 0;
  for (int i = 0; i < kLanes; ++i) {
    const T incoming = CarryIn ? T(w.carry >> i & 1) : 0;
    T x = a[i], y = b[i];
    if (Multiply) {
      using Factor = std::conditional_t<std::is_signed_v<T>, s128, u128>;
      const u128 product = u128(Factor(x) * Factor(y));
      x = High ? T(product >> 8 * sizeof(T)) : T(product);
      y = c[i];
    }
    using U = std::make_unsigned_t<T>;
    const u128 sum = Subtract ? u128(U(x)) - U(y) - U(incoming) : u128(U(x)) + U(y) + U(incoming);
    to[i] = T(sum);
    carry |= (sum >> 8 * sizeof(T)) & 1 ? kLaneBit[std::size_t(i)] : 0;
  }
  if (CarryOut) w.carry = (carry & w.active) | (w.carry & ~w.active);
}

template <class T, bool Subtract, bool Multiply, bool High>
[[gnu::cold]] void bind_carrying(Binding& b) {
  const bool incoming = b.source.opcode == "addc" || b.source.opcode == "subc" || b.source.opcode == "madc";
  const auto choose = [&]<bool In, bool Out>() {
    constexpr Handler kAll = &carrying<T, Subtract, Multiply, High, In, Out>;
    b.out.all = kAll;
    b.out.some = &some_of<kAll, sizeof(T)>;
  };
  const bool outgoing = b.has("cc");
  if (incoming && outgoing) choose.template operator()<true, true>();
  if (incoming && !outgoing) choose.template operator()<true, false>();
  if (!incoming) choose.template operator()<false, true>();
}

template <class T>
[[gnu::cold]] void declare_carrying(InstructionSet& defs, const std::string& bits) {
  const std::string types = "(.u" + bits + ",.s" + bits + ")";
  const OperandSpec to{Role::write, type_of<T>()}, from{Role::read, type_of<T>()};
  for (const char* add : {"add.cc", "addc{.cc}"})
    defs.custom(add + types, {to, from, from}, &bind_carrying<T, false, false, false>);
  for (const char* sub : {"sub.cc", "subc{.cc}"})
    defs.custom(sub + types, {to, from, from}, &bind_carrying<T, true, false, false>);
  for (const char* mad : {"mad.lo.cc", "madc.lo{.cc}"}) {
    defs.custom(mad + types, {to, from, from, from}, &bind_carrying<T, false, true, false>);
  }
}

[[gnu::cold]] void declare_integer_arithmetic(InstructionSet& defs) {
  defs.each<Binary, u16, u32, u64, s16, s32, s64>("add.$", [](auto a, auto b) { return a + b; });
  defs.each<Binary, u16, u32, u64, s16, s32, s64>("sub.$", [](auto a, auto b) { return a - b; });
  defs.lanewise<Binary<s32>>("add.sat.s32", [](s32 a, s32 b) { return clamp_s32(s64(a) + b); });
  defs.lanewise<Binary<s32>>("sub.sat.s32", [](s32 a, s32 b) { return clamp_s32(s64(a) - b); });
  defs.each<Binary, u16, u32, u64, s16, s32, s64>("mul.lo.$", []<class T>(T a, T b) {
    return T(std::make_unsigned_t<std::common_type_t<T, s32>>(a) *
             std::make_unsigned_t<std::common_type_t<T, s32>>(b));
  });
  defs.each<Binary, u16, u32, u64, s16, s32, s64>("mul.hi.$", high_half);
  defs.each<Widening, u16, u32, s16, s32>("mul.wide.$",
                                          []<class T>(T a, T b) { return Wider<T>(a) * Wider<T>(b); });
  defs.each<Ternary, u16, u32, u64, s16, s32, s64>("mad.lo.$", []<class T>(T a, T b, T c) {
    using U = std::make_unsigned_t<std::common_type_t<T, s32>>;
    return T(U(a) * U(b) + U(c));
  });
  defs.each<Ternary, u16, u32, u64, s16, s32, s64>(
      "mad.hi.$", []<class T>(T a, T b, T c) { return T(high_half(a, b) + c); });
  defs.each<WideningAdd, u16, u32, s16, s32>(
      "mad.wide.$", []<class T, class W>(T a, T b, W c) { return W(W(a) * W(b) + c); });
  defs.lanewise<Ternary<s32>>("mad.hi.sat.s32",
                              [](s32 a, s32 b, s32 c) { return clamp_s32(s64(high_half(a, b)) + c); });
  defs.lanewise<Binary<u32>>("mul24.lo.u32", [](u32 a, u32 b) { return (a & 0xFFFFFF) * (b & 0xFFFFFF); });
  defs.lanewise<Binary<s32>>("mul24.lo.s32", [](s32 a, s32 b) { return (a << 8 >> 8) * (b << 8 >> 8); });
  defs.lanewise<Binary<u32>>("mul24.hi.u32",
                             [](u32 a, u32 b) { return u64(a & 0xFFFFFF) * (b & 0xFFFFFF) >> 16; });
  defs.lanewise<Binary<s32>>("mul24.hi.s32",
                             [](s32 a, s32 b) { return s64(a << 8 >> 8) * (b << 8 >> 8) >> 16; });
  defs.lanewise<Ternary<u32>>("mad24.lo.u32",
                              [](u32 a, u32 b, u32 c) { return (a & 0xFFFFFF) * (b & 0xFFFFFF) + c; });
  defs.lanewise<Ternary<s32>>("mad24.lo.s32",
                              [](s32 a, s32 b, s32 c) { return (a << 8 >> 8) * (b << 8 >> 8) + c; });
  defs.each<Binary, u16, u32, u64, s16, s32, s64>("div.$", []<class T>(T a, T b) { return divide(a, b); });
  defs.each<Binary, u16, u32, u64, s16, s32, s64>("rem.$", []<class T>(T a, T b) { return remainder(a, b); });
  defs.each<Unary, s16, s32, s64>("neg.$", [](auto a) { return 0 - a; });
  defs.each<Unary, s16, s32, s64>("abs.$", []<class T>(T a) { return T(a < 0 ? 0 - a : a); });
  defs.each<Binary, u16, u32, u64, s16, s32, s64>("min.$", [](auto a, auto b) { return b < a ? b : a; });
  defs.each<Binary, u16, u32, u64, s16, s32, s64>("max.$", [](auto a, auto b) { return a < b ? b : a; });
  defs.lanewise<Binary<s32>>("min{.relu@90}.s32{.relu@90}",
                             [](s32 a, s32 b) { return std::max(std::min(a, b), 0); });
  defs.lanewise<Binary<s32>>("max{.relu@90}.s32{.relu@90}",
                             [](s32 a, s32 b) { return std::max(std::max(a, b), 0); });
  defs.each<AbsoluteDifference, u16, u32, u64, s16, s32, s64>(
      "sad.$", []<class T>(T a, T b, T c) { return T(c + (a < b ? b - a : a - b)); });
}

[[gnu::cold]] void declare_bit_operations(InstructionSet& defs) {
  defs.each<Count, u32, u64>("popc.b%", [](auto a) { return u32(std::popcount(a)); });
  defs.each<Count, u32, u64>("clz.b%", [](auto a) { return u32(std::countl_zero(a)); });
  defs.each<Unary, u32, u64>("brev.b%", [](auto a) { return reverse_bits(a); });
  defs.each<Count, u32, u64, s32, s64>("bfind.$", []<class T>(T a) { return find_bit<T, false>(a); });
  defs.each<Count, u32, u64, s32, s64>("bfind.shiftamt.$", []<class T>(T a) { return find_bit<T, true>(a); });
  defs.each<BitField, u32, u64, s32, s64>("bfe.$",
                                          []<class T>(T a, u32 b, u32 c) { return bit_field(a, b, c); });
  defs.each<BitInsert, u32, u64>("bfi.b%",
                                 []<class T>(T a, T b, u32 c, u32 d) { return bit_insert(a, b, c, d); });
  defs.lanewise<u32(u32, u32)>("bmsk.clamp.b32", [](u32 from, u32 width) {
    return from >= 32 ? 0 : (width >= 32 ? ~u32{0} : (u32{1} << width) - 1) << from;
  });
  defs.lanewise<u32(u32, u32)>(
      "bmsk.wrap.b32", [](u32 from, u32 width) { return ((u32{1} << (width & 31)) - 1) << (from & 31); });
  defs.lanewise<u32(u32, u32)>("szext.wrap.u32", [](u32 a, u32 n) { return a & ((u32{1} << (n & 31)) - 1); });
}

[[gnu::cold]] void declare_dot_products(InstructionSet& defs) {
  defs.lanewise<Ternary<u32>>("dp4a.u32.u32",
                              [](u32 a, u32 b, u32 c) { return dot4<false, false>(a, b, c); });
  defs.lanewise<Ternary<u32>>("dp4a.s32.s32", [](u32 a, u32 b, u32 c) { return dot4<true, true>(a, b, c); });
  defs.lanewise<Ternary<u32>>("dp4a.u32.s32", [](u32 a, u32 b, u32 c) { return dot4<false, true>(a, b, c); });
  defs.lanewise<Ternary<u32>>("dp4a.s32.u32", [](u32 a, u32 b, u32 c) { return dot4<true, false>(a, b, c); });
  declare_dot2<false, false>(defs, ".u32.u32");
  declare_dot2<true, true>(defs, ".s32.s32");
  declare_dot2<true, false>(defs, ".s32.u32");
  declare_dot2<false, true>(defs, ".u32.s32");
}

[[gnu::cold]] void declare_extended_precision(InstructionSet& defs) {
  declare_carrying<u32>(defs, "32");
  declare_carrying<u64>(defs, "64");
  const OperandSpec to{Role::write, ptx::Type::u32}, from{Role::read, ptx::Type::u32};
  const OperandSpec to64{Role::write, ptx::Type::u64}, from64{Role::read, ptx::Type::u64};
  for (const char* mad : {"mad.hi.cc.u32", "madc.hi{.cc}.u32"})
    defs.custom(mad, {to, from, from, from}, &bind_carrying<u32, false, true, true>);
  for (const char* mad : {"mad.hi.cc.u64", "madc.hi{.cc}.u64"})
    defs.custom(mad, {to64, from64, from64, from64}, &bind_carrying<u64, false, true, true>);
  for (const char* mad : {"mad.hi.cc.s32", "madc.hi{.cc}.s32"})
    defs.custom(mad, {to, from, from, from}, &bind_carrying<s32, false, true, true>);
  for (const char* mad : {"mad.hi.cc.s64", "madc.hi{.cc}.s64"})
    defs.custom(mad, {to64, from64, from64, from64}, &bind_carrying<s64, false, true, true>);
}

}  // namespace

void declare_integer(InstructionSet& defs) {
  defs.family("integer");
  declare_integer_arithmetic(defs);
  declare_bit_operations(defs);
  declare_dot_products(defs);
  declare_extended_precision(defs);
}

}  // namespace sim::exec
