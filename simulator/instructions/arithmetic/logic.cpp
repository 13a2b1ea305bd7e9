// Bitwise logic, shifts, permutations, and logic on predicates.
#include "simulator/instructions/families.h"
#include "simulator/instructions/lanewise.h"

namespace sim::exec {

namespace {

template <class T>
using Shift = T(T, u32);

u32 permute(u32 a, u32 b, u32 selector) {
  const u64 bytes = u64(b) << 32 | a;
  u32 result = 0;
  for (int i = 0; i < 4; ++i) {
    const u32 pick = selector >> 4 * i & 0xF;
    u32 byte = u32(bytes >> 8 * (pick & 7)) & 0xFF;
    if (pick & 8) byte = byte & 0x80 ? 0xFF : 0;  // replicate the sign
    result |= byte << 8 * i;
  }
  return result;
}

/// prmt with a mode: 16 byte choices by the low two bits of c.
template <int Mode>
u32 permute_mode(u32 a, u32 b, u32 c) {
  static constexpr u32 kSelectors[6][4] = {
      {0x3210, 0x4321, 0x5432, 0x6543},  // f4e
      {0x5670, 0x6701, 0x7012, 0x0123},  // b4e
      {0x0000, 0x1111, 0x2222, 0x3333},  // rc8
      {0x3210, 0x3211, 0x3222, 0x3333},  // ecl
      {0x0000, 0x1110, 0x2210, 0x3210},  // ecr
      {0x1010, 0x3232, 0x1010, 0x3232},  // rc16
  };
  return permute(a, b, kSelectors[Mode][c & 3]);
}

/// Any function of three bits, by its truth table.
u32 look_up(u32 a, u32 b, u32 c, u32 table) {
  u32 result = 0;
  result |= table & 0x01 ? ~a & ~b & ~c : 0;
  result |= table & 0x02 ? ~a & ~b & c : 0;
  result |= table & 0x04 ? ~a & b & ~c : 0;
  result |= table & 0x08 ? ~a & b & c : 0;
  result |= table & 0x10 ? a & ~b & ~c : 0;
  result |= table & 0x20 ? a & ~b & c : 0;
  result |= table & 0x40 ? a & b & ~c : 0;
  result |= table & 0x80 ? a & b & c : 0;
  return result;
}

/// Logic on predicates works on all lanes' bits at once.
template <bool Masked, class F, int Sources>
void mask_logic(Warp& w, const Instr& in) {
  const Mask a = predicate(w, in.op[1]);
  Mask result;
  if constexpr (Sources == 1) {
    result = F{}(a);
  } else {
    result = F{}(a, predicate(w, in.op[2]));
  }
  Mask& to = predicate(w, in.op[0]);
  to = Masked ? (result & w.active) | (to & ~w.active) : result;
}

template <class F>
[[gnu::cold]] void declare_mask_logic(InstructionSet& defs, const char* pattern, F) {
  constexpr int kSources = std::is_invocable_v<F, Mask> ? 1 : 2;
  std::vector<OperandSpec> operands(kSources + 1, {Role::read, ptx::Type::pred});
  operands[0].role = Role::write;
  defs.custom(pattern, operands, &mask_logic<false, F, kSources>, &mask_logic<true, F, kSources>);
}

}  // namespace

void declare_logic(InstructionSet& defs) {
  defs.family("logic");
  defs.each<Binary, u16, u32, u64>("and.b%", [](auto a, auto b) { return a & b; });
  defs.each<Binary, u16, u32, u64>("or.b%", [](auto a, auto b) { return a | b; });
  defs.each<Binary, u16, u32, u64>("xor.b%", [](auto a, auto b) { return a ^ b; });
  defs.each<Unary, u16, u32, u64>("not.b%", [](auto a) { return ~a; });
  defs.each<Unary, u16, u32, u64>("cnot.b%", []<class T>(T a) { return T(a == 0); });
  declare_mask_logic(defs, "and.pred", [](Mask a, Mask b) { return a & b; });
  declare_mask_logic(defs, "or.pred", [](Mask a, Mask b) { return a | b; });
  declare_mask_logic(defs, "xor.pred", [](Mask a, Mask b) { return a ^ b; });
  declare_mask_logic(defs, "not.pred", [](Mask a) { return ~a; });
  declare_mask_logic(defs, "mov.pred", [](Mask a) { return a; });

  defs.each<Shift, u16, u32, u64>("shl.b%",
                                  []<class T>(T a, u32 n) { return n < 8 * sizeof(T) ? T(a << n) : T(0); });
  defs.each<Shift, u16, u32, u64>("shr(.u%,.b%)",
                                  []<class T>(T a, u32 n) { return n < 8 * sizeof(T) ? T(a >> n) : T(0); });
  defs.each<Shift, s16, s32, s64>(
      "shr.$", []<class T>(T a, u32 n) { return T(a >> (n < 8 * sizeof(T) ? n : 8 * sizeof(T) - 1)); });
  defs.lanewise<Ternary<u32>>("shf.l.wrap.b32",
                              [](u32 a, u32 b, u32 n) { return u32((u64(b) << 32 | a) << (n & 31) >> 32); });
  defs.lanewise<Ternary<u32>>("shf.r.wrap.b32",
                              [](u32 a, u32 b, u32 n) { return u32((u64(b) << 32 | a) >> (n & 31)); });
  defs.lanewise<Ternary<u32>>("shf.l.clamp.b32", [](u32 a, u32 b, u32 n) {
    return u32((u64(b) << 32 | a) << (n < 32 ? n : 32) >> 32);
  });
  defs.lanewise<Ternary<u32>>(
      "shf.r.clamp.b32", [](u32 a, u32 b, u32 n) { return u32((u64(b) << 32 | a) >> (n < 32 ? n : 32)); });

  defs.lanewise<u32(u32, u32, u32, u32)>(
      "lop3.b32", [](u32 a, u32 b, u32 c, u32 table) { return look_up(a, b, c, table); });
  defs.lanewise<Ternary<u32>>("prmt.b32", [](u32 a, u32 b, u32 c) { return permute(a, b, c); });
  defs.lanewise<Ternary<u32>>("prmt.b32.f4e", [](u32 a, u32 b, u32 c) { return permute_mode<0>(a, b, c); });
  defs.lanewise<Ternary<u32>>("prmt.b32.b4e", [](u32 a, u32 b, u32 c) { return permute_mode<1>(a, b, c); });
  defs.lanewise<Ternary<u32>>("prmt.b32.rc8", [](u32 a, u32 b, u32 c) { return permute_mode<2>(a, b, c); });
  defs.lanewise<Ternary<u32>>("prmt.b32.ecl", [](u32 a, u32 b, u32 c) { return permute_mode<3>(a, b, c); });
  defs.lanewise<Ternary<u32>>("prmt.b32.ecr", [](u32 a, u32 b, u32 c) { return permute_mode<4>(a, b, c); });
  defs.lanewise<Ternary<u32>>("prmt.b32.rc16", [](u32 a, u32 b, u32 c) { return permute_mode<5>(a, b, c); });
}

}  // namespace sim::exec
