// Defining instructions. Each is defined once: its spelling, its operands and what it does to the lanes.
// Recognising it in PTX, checking operands, running it and listing it in the documentation follow from that.
#pragma once

#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "simulator/decode/instr.h"

namespace sim::exec {

/// What an operand is to its instruction.
enum class Role : u8 {
  write,    ///< a register that is written
  read,     ///< a register, immediate, special register or symbol's address
  modify,   ///< a register that is read and written
  pair,     ///< `d|p`: a register and, where written, a predicate; takes two places
  address,  ///< `[base+offset]`: the base takes a place, the offset goes to Instr::imm
  label,    ///< a jump target: its basic block goes to Instr::imm
  ignored,  ///< names that the decoder reads itself
};

/// How an instruction passes control on.
enum class Flow : u8 {
  straight,  ///< to the next instruction
  jump,      ///< to a label or the next
  leave,     ///< exit, ret: to the next only where the guard holds some lanes back
  call,      ///< to another function and back
  converge,  ///< waits for other lanes of the warp: a basic block of its own
  barrier,   ///< waits for other warps: ends a basic block
};

/// A target as a number: N of sm_N, and kSpecific more for sm_Na, which nothing but itself has.
inline constexpr int kSpecific = 1000;
/// Reads "90" or "90a", and ignores what follows. @return 0 where there is no number
int target_of(std::string_view text);
/// "sm_90a"
std::string target_name(int target);
/// Whether PTX for target @p written has what needs @p needed.
inline bool provides(int written, int needed) {
  return needed >= kSpecific ? written == needed : written % kSpecific >= needed;
}

struct OperandSpec {
  Role role = Role::read;
  ptx::Type type = ptx::Type::none;  ///< none: whatever the register is declared as
  u8 elements = 1;                   ///< of a vector operand; 0: as many as are written
  bool optional = false;             ///< may be missing at the end; its place then holds zero
  bool wider = false;                ///< registers may be wider than the type
};

/// What an operand looks like before its definition is known: it distinguishes definitions of one spelling.
struct OperandShape {
  enum class Kind : u8 { value, vector, address, list } kind = Kind::value;
  u8 elements = 1;
  u8 bytes = 0;  ///< of a register; 0 for predicates and for what has no width of its own
  bool is_register = false;
};

struct InstructionDef;
struct Code;

/// One use of a definition, as its binder sees it.
struct Binding {
  const ptx::Instruction& source;
  const InstructionDef& def;
  Mods mods;
  Instr& out;                    ///< handlers and imm are the binder's to fill
  std::vector<int> bytes;        ///< width of each lowered operand; 0 for predicates
  std::vector<int> counts;       ///< elements of each written operand
  u32 stride = 0;                ///< of the .param area that the address lies in; 0: not in one
  WideOperands* wide = nullptr;  ///< where Instr::wide points, for binders to add to
  bool unused_result = false;    ///< nothing reads what is written
  bool guarded = false;
  bool commutes = false;  ///< the binder's to set: see Code::commutes
  bool negated = false;   ///< the last predicate read is written `!%p`
  Code& code;

  /// A place in the launch's caches and counts for this instruction's accesses to memory.
  u32 new_site();
  bool has(std::string_view qualifier) const;
  /// The first of @p names among the qualifiers; its index, or -1.
  int which(std::initializer_list<std::string_view> names) const;
};
using Binder = void (*)(Binding&);

struct InstructionDef {
  std::string opcode;
  std::string qualifiers;  ///< the pattern behind the opcode
  int target = 0;          ///< the first that has the opcode; 0: all have it
  const char* family = "";
  std::vector<OperandSpec> operands;
  Handler all = nullptr, some = nullptr;
  Binder bind = nullptr;
  Flow flow = Flow::straight;
  bool copies = false;  ///< the destination equals the source: copy propagation may remove it
  bool wide = false;    ///< operands go to Instr::wide
  bool apart = false;   ///< results must not share registers with sources whose live range ends here
};

/// One line of the table of supported instructions.
struct InstructionInfo {
  std::string family;
  std::string pattern;  ///< "add.$"
  std::string types;    ///< what stands for $: "u16 u32 u64"; empty when there is no $
  std::string needs;    ///< the first targets: "sm_80", "sm_90a for .a"; empty when all have it
};

/// Collects declarations. In a pattern `{.a,.b}` is an optional choice, `(.a,.b)` a required one, `$` the
/// name of the type instantiated and `%` its width in bits. `@80` behind the opcode or a qualifier: targets
/// below sm_80 do not have it; `@90a`: only sm_90a has it. `*` in a qualifier stands for a number.
class InstructionSet {
 public:
  void family(const char* name) { family_ = name; }

  /// An instruction that computes each lane alone: `Signature` is the C++ type of the computation,
  /// such as u32(u32, u32); `pred` stands for a predicate. @p function takes the source lanes, and a
  /// Mods if it wants to.
  template <class Signature, class F>
  InstructionDef& lanewise(std::string_view pattern, F function);

  /// The same for several types: Signature<T> for every T.
  template <template <class> class Signature, class... T, class F>
  void each(std::string_view pattern, F function);

  /// An instruction with handlers of its own. A list as it is written, and one that was put together.
  InstructionDef& custom(std::string_view pattern, std::initializer_list<OperandSpec> operands, Binder bind);
  InstructionDef& custom(std::string_view pattern, const std::vector<OperandSpec>& operands, Binder bind);
  InstructionDef& custom(std::string_view pattern, std::initializer_list<OperandSpec> operands, Handler all,
                         Handler some);
  InstructionDef& custom(std::string_view pattern, const std::vector<OperandSpec>& operands, Handler all,
                         Handler some);

  /// The definition that @p instruction matches, null when there is none. Caches what it found.
  const InstructionDef* match(const ptx::Instruction& instruction, const std::vector<OperandShape>& shapes);
  /// The first definition of that spelling, whatever its operands.
  const InstructionDef* find(const std::string& opcode, const std::vector<std::string>& qualifiers) const;
  std::vector<InstructionInfo> list() const;

 private:
  InstructionDef& add(std::string_view pattern, std::string_view type, int bits);
  /// What lanewise() and each() come down to. It is called hundreds of times, and is no template for that.
  /// @param name   the type that `$` and `%` stand for; none: they are what they are
  /// @param types  of the result and the sources
  InstructionDef& computed(std::string_view pattern, ptx::Type name, std::span<const ptx::Type> types,
                           Handler all, Handler some);

  const char* family_ = "";
  std::vector<std::unique_ptr<InstructionDef>> defs_;
  std::vector<InstructionInfo> infos_;
  std::unordered_map<std::string, std::vector<const InstructionDef*>> by_opcode_;
  std::unordered_map<std::string, const InstructionDef*> known_;
};

constexpr int kMisfit = -1;

/// Whether the qualifiers written fit a pattern such as "{.rn,.rz}{.ftz}.bf16@80".
/// @return the first target that has them all, 0 when every one has; kMisfit when they do not fit
int fit(std::string_view pattern, const std::vector<std::string>& qualifiers);
inline bool fits(std::string_view pattern, const std::vector<std::string>& qualifiers) {
  return fit(pattern, qualifiers) != kMisfit;
}

/// The first target that has the instruction with these qualifiers; 0: every one has it.
int needed_target(const InstructionDef& def, const std::vector<std::string>& qualifiers);

/// Modifiers among an instruction's qualifiers.
Mods modifiers_of(const ptx::Instruction& instruction);

/// The definition that an instruction matches in the table of all; thread-safe.
/// @param registers  of the instruction's function
const InstructionDef* find_instruction(const ptx::Instruction& instruction,
                                       const std::vector<ptx::Register>& registers);

/// The definition of that spelling, for instructions that the decoder makes itself.
const InstructionDef* find_instruction(const std::string& opcode,
                                       const std::vector<std::string>& qualifiers = {});

/// Every definition, in the order of the families' files.
std::vector<InstructionInfo> supported_instructions();

}  // namespace sim::exec
