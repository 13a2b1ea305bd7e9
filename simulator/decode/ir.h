// The decoder's intermediate representation of a function: instructions with lowered
// operands and virtual registers.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "simulator/decode/code.h"
#include "simulator/decode/instruction_def.h"
#include "simulator/decode/symbols.h"

namespace sim::exec {

struct IrOperand {
  enum class Kind : u8 { none, vreg, constant, identity } kind = Kind::none;
  bool reads = false, writes = false;
  bool negated = false;  ///< `!%p`
  int index = -1;        ///< virtual register, constant, or Identity offset
  ptx::Type type = ptx::Type::none;
};

struct IrInstruction {
  const ptx::Instruction* source = nullptr;
  const InstructionDef* def = nullptr;
  std::vector<IrOperand> operands;
  std::vector<int> counts;  ///< lowered operands of each written operand
  IrOperand guard;
  s64 offset = 0;            ///< of the address operand
  s64 second_offset = 0;     ///< of the second one, where there are two
  s64 third_offset = 0;      ///< of the third one, where there are three
  int addresses = 0;         ///< how many there are
  u32 stride = 0;            ///< of the .param area it lies in; 0: not an area
  std::vector<int> targets;  ///< indices of the instructions that a jump may go to
  int call = -1;             ///< index into Code::calls
  WarpAggregation warp_aggregation = WarpAggregation::never;  ///< atomics
  bool fused = false;                                         ///< ptxas makes it part of a wider access ...
  u8 counted_bytes = 0;   ///< ... that is counted here, with this width; 0: with another part
  NarrowedLoad narrowed;  ///< of a load

  bool has(std::string_view qualifier) const { return source->has(qualifier); }
};

/// A kernel while it is decoded.
struct DecodeState {
  const ptx::Module& module;
  const ptx::Function& kernel;
  const Symbols& symbols;
  Code& code;
  std::map<std::string, u32, std::less<>> shared;  ///< offsets of static shared variables; dynamic: the end
  std::map<const ptx::Function*, int> functions;   ///< index into code.functions
};

/// One function of it.
struct IrFunction {
  DecodeState& in;
  const ptx::Function& function;
  FunctionCode& code;
  bool is_kernel = false;
  std::map<std::string, u32, std::less<>> locals;  ///< offsets of .local variables
  std::vector<IrInstruction> instructions;
};

/// Matches every instruction of the function to its definition and lowers its operands.
/// @throws Fault "unsupported"
void lower_function(IrFunction& f);

/// Index of a constant in the code's bank; equal constants share one slot.
int constant_index(Code& code, const Constant& wanted);

/// Copy propagation of constants: parameters, immediates and special registers are read where they are used.
void propagate_copies(IrFunction& f);

/// Access fusion: marks accesses to shared memory that ptxas joins to wider ones, so that they count as the
/// hardware does.
void fuse_accesses(IrFunction& f);

/// Registers that some instruction reads.
std::vector<bool> registers_read(const IrFunction& f);

/// Vector-load narrowing: marks vector loads of which ptxas loads the elements that are used only.
void narrow_vector_loads(IrFunction& f);

/// Marks atomics whose values ptxas adds up over the warp first.
void mark_warp_aggregated_atomics(IrFunction& f);

/// By basic block: its critical path, and what its instructions cost.
std::vector<CodeCost> block_costs(const IrFunction& f);

/// About how long a warp by itself takes for that, for comparing warps with each other.
u32 estimated_clocks(const CodeCost& cost);

/// Gives every virtual register a slot in the frame; registers that are never alive together share one.
/// @return byte offset by virtual register; -1 for those that are not used
std::vector<int> allocate_registers(IrFunction& f);

/// Where basic blocks begin among the instructions, ascending; the first is 0.
std::vector<u32> block_leaders(const std::vector<IrInstruction>& instructions);

/// Code emission: appends the function's instructions and basic blocks to the code.
void emit_function(IrFunction& f, const std::vector<int>& slots);

}  // namespace sim::exec
