// A decoded instruction: what the interpreter's inner loop reads.
#pragma once

#include "simulator/instructions/lanes.h"

namespace sim::exec {

struct Warp;
struct Instr;

/// Executes one instruction for the lanes of the running split.
using Handler = void (*)(Warp&, const Instr&);

/// Where an operand's lanes lie: the bank in the low bits, the byte offset above them.
/// Every operand is an address of 32 lanes (or of a Mask, for predicates): immediates, parameters and special
/// registers are slots filled beforehand, so no instruction asks what kind its operands are.
using OperandRef = u32;
enum class Bank : u32 {
  registers = 0,  ///< of the running function's frame
  constants = 1,  ///< of the block: immediates, parameters, %ctaid, %ntid ...
  identity = 2,   ///< of the warp: %tid, %warpid
};
constexpr OperandRef operand_ref(Bank bank, u32 offset) { return offset << 2 | static_cast<u32>(bank); }

/// Modifiers that an instruction reads at run time because specialising on them is not worth the code.
enum class Rounding : u8 { none, rn, rz, rm, rp, rna };
enum class Compare : u8 {
  none,
  eq,
  ne,
  lt,
  le,
  gt,
  ge,
  lo,
  ls,
  hi,
  hs,
  equ,
  neu,
  ltu,
  leu,
  gtu,
  geu,
  num,
  nan
};
enum class BoolOp : u8 { none, and_, or_, xor_ };
enum Saturate : u8 { kUnbounded, kToUnit, kToFinite };  ///< nothing, .sat (or an integer's range), .satfinite
struct Mods {
  Rounding rounding;
  Compare compare;
  BoolOp combine;
  bool ftz;
  Saturate sat;
  bool relu;
  bool nan;
  bool negated;  ///< the predicate read is written `!%p`
};

/// Operands that do not fit Instr::op (matrix fragments, texture coordinates, call arguments).
struct WideOperands;

inline constexpr u32 kNegated = u32{1} << 31;
inline constexpr u32 kNoGuard = ~u32{0};

struct alignas(64) Instr {
  Handler all = nullptr;   ///< when every live lane of the warp takes part
  Handler some = nullptr;  ///< when only Warp::active do
  Handler body = nullptr;  ///< what a guarded instruction does behind its guard
  OperandRef op[6] = {};   ///< in the order written: destinations first
  union {
    s64 imm = 0;               ///< address offset, jump target, other constant of the definition
    Mods mods;                 ///< arithmetic
    const WideOperands* wide;  ///< the rest of many operands
  };
  u32 guard = kNoGuard;  ///< OperandRef of a predicate, kNegated on top of it for `@!%p`
  u32 site = 0;  ///< memory accesses: index of the launch's access cache; control: index of its detail
};
static_assert(sizeof(Instr) == 64, "one instruction, one cache line");

}  // namespace sim::exec
