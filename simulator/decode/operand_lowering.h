// One instruction of PTX into drafts: its form, and its operands one after another without vectors and
// brackets.
#pragma once

#include "simulator/decode/ir.h"
#include "simulator/engine/fault.h"

namespace sim::exec {

/// The last qualifier that names a type: what the instruction's operands are unless its form says otherwise.
ptx::Type written_type(const ptx::Instruction& instruction);

class Flattener {
 public:
  Flattener(FunctionDraft& f, const ptx::Instruction& source) : f_(f), source_(source) {
    draft_.source = &source;
  }

  void run();

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    unsupported(f_.in.module, f_.in.kernel, source_, what);
  }
  [[noreturn]] void reject(const std::string& what) const {
    malformed(f_.in.module, f_.in.kernel, source_, what);
  }
  /// Ends the decoding when the module is for an architecture below sm_@p target, which lacks @p what.
  void require_target(int target, const std::string& what) const;
  DraftOperand constant(Constant::Kind kind, u64 value, int bytes, ptx::Type type = ptx::Type::none,
                        Special special = Special::none) {
    const Constant c{kind, u8(bytes), special, type, value, 0};
    return {DraftOperand::Kind::constant, true, false, false, constant_index(f_.in.code, c), type};
  }
  DraftOperand reg(const ptx::RegisterUse& use, Role role) const {
    DraftOperand o{DraftOperand::Kind::vreg,
                   role != Role::write,
                   role == Role::write || role == Role::modify,
                   use.negated,
                   use.index,
                   f_.function.registers[std::size_t(use.index)].type};
    return o;
  }
  void flatten(const ptx::Operand& operand, const OperandSpec& spec);
  void elements(const ptx::Operand& operand, Role role, ptx::Type type);
  void value(const ptx::Operand& operand, Role role, ptx::Type type);
  void special(const std::string& name, int bytes);
  void symbol(const std::string& name, s64 offset, int bytes);
  void address(const ptx::Address& address);
  bool is_move() const { return source_.opcode == "mov" && source_.operands.size() == 2; }
  void check_area() const;
  void labels(const ptx::Operand& operand);
  bool parameter_load();
  void call();
  Area area_of(const ptx::Operand& operand) const;
  void finish();

  FunctionDraft& f_;
  const ptx::Instruction& source_;
  IrInstruction draft_;
  const Area* area_ = nullptr;  ///< that the address lies in
};

}  // namespace sim::exec
