// The decoder's working form of a function: instructions with flattened operands, before registers have
// slots.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "simulator/decode/code.h"
#include "simulator/decode/instruction_def.h"
#include "simulator/decode/symbols.h"

namespace sim::exec {

struct DraftOperand {
  enum class Kind : u8 { none, vreg, constant, identity } kind = Kind::none;
  bool reads = false, writes = false;
  bool negated = false;  ///< `!%p`
  int index = -1;        ///< virtual register, constant, or Identity offset
  ptx::Type type = ptx::Type::none;
};

struct IrInstruction {
  const ptx::Instruction* source = nullptr;
  const InstructionDef* form = nullptr;
  std::vector<DraftOperand> operands;
  std::vector<int> counts;  ///< flattened operands of each written operand
  DraftOperand guard;
  s64 offset = 0;                 ///< of the address operand
  s64 second_offset = 0;          ///< of the second one, where there are two
  s64 third_offset = 0;           ///< of the third one, where there are three
  int addresses = 0;              ///< how many there are
  u32 stride = 0;                 ///< of the .param area it lies in; 0: not an area
  std::vector<int> targets;       ///< drafts that a jump may go to
  int call = -1;                  ///< index into Code::calls
  Summed summed = Summed::never;  ///< atomics
  bool merged = false;            ///< ptxas makes it part of a wider access ...
  u8 counted_bytes = 0;           ///< ... that is counted here, with this width; 0: with another part
  Pieces pieces;                  ///< of a load

  bool has(std::string_view qualifier) const { return source->has(qualifier); }
};

/// A kernel while it is decoded.
struct Decoding {
  const ptx::Module& module;
  const ptx::Function& kernel;
  const Symbols& symbols;
  Code& code;
  std::map<std::string, u32, std::less<>> shared;  ///< offsets of static shared variables; dynamic: the end
  std::map<const ptx::Function*, int> functions;   ///< index into code.functions
};

/// One function of it.
struct FunctionDraft {
  Decoding& in;
  const ptx::Function& function;
  FunctionCode& code;
  bool is_kernel = false;
  std::map<std::string, u32, std::less<>> locals;  ///< offsets of .local variables
  std::vector<IrInstruction> drafts;
};

/// Matches every instruction of the function to its form and flattens its operands into drafts.
/// @throws Fault "unsupported"
void draft_function(FunctionDraft& f);

/// Index of a constant in the code's bank; equal constants share one slot.
int constant_index(Code& code, const Constant& wanted);

/// Folds copies of constants (parameters, immediates, special registers) into their uses.
void fold_copies(FunctionDraft& f);

/// Marks accesses to shared memory that ptxas joins to wider ones, so that they count as the hardware does.
void merge_accesses(FunctionDraft& f);

/// Registers that some instruction reads.
std::vector<bool> registers_read(const FunctionDraft& f);

/// Marks vector loads that ptxas makes narrower, because elements are not used.
void narrow_loads(FunctionDraft& f);

/// Marks atomics whose values ptxas adds up over the warp.
void mark_summed_atomics(FunctionDraft& f);

/// By basic block: the longest chain of instructions that wait for each other, and what is more than it
/// looks.
std::vector<CodeCost> block_costs(const FunctionDraft& f);

/// About how long a warp by itself takes for that, for comparing warps with each other.
u32 rough_clocks(const CodeCost& cost);

/// Gives every virtual register a slot in the frame; registers that are never alive together share one.
/// @return byte offset by virtual register; -1 for those that are not used
std::vector<int> allocate_registers(FunctionDraft& f);

/// Where basic blocks begin among the drafts, ascending; the first is 0.
std::vector<u32> block_leaders(const std::vector<IrInstruction>& drafts);

/// Drafts, not yet emitted, into instructions and basic blocks of the code.
void emit_function(FunctionDraft& f, const std::vector<int>& slots);

}  // namespace sim::exec
