// Operand lowering: an instruction of PTX as its definition and a flat list of operands,
// without vectors and brackets.
#pragma once

#include "simulator/decode/ir.h"
#include "simulator/engine/fault.h"

namespace sim::exec {

/// The last qualifier that names a type: what the instruction's operands are unless its
/// definition says otherwise.
ptx::Type written_type(const ptx::Instruction& instruction);

class OperandLowering {
 public:
  OperandLowering(IrFunction& f, const ptx::Instruction& source) : f_(f), source_(source) {
    ir_.source = &source;
  }

  void run();

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    unsupported(f_.in.module, f_.in.kernel, source_, what);
  }
  [[noreturn]] void reject(const std::string& what) const {
    malformed(f_.in.module, f_.in.kernel, source_, what);
  }
  /// Ends the decoding when the module is for an architecture that lacks @p what, which @p target has.
  void require_target(int target, const std::string& what) const;
  IrOperand constant(Constant::Kind kind, u64 value, int bytes, ptx::Type type = ptx::Type::none,
                     Special special = Special::none) {
    const Constant c{kind, u8(bytes), special, type, value, 0};
    return {IrOperand::Kind::constant, true, false, false, constant_index(f_.in.code, c), type};
  }
  IrOperand reg(const ptx::RegisterUse& use, Role role) const {
    IrOperand o{
        IrOperand::Kind::vreg, role != Role::write, role == Role::write || role == Role::modify,
        use.negated,           use.index,           f_.function.registers[std::size_t(use.index)].type};
    return o;
  }
  void lower(const ptx::Operand& operand, const OperandSpec& spec);
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

  IrFunction& f_;
  const ptx::Instruction& source_;
  IrInstruction ir_;
  const Area* area_ = nullptr;  ///< that the address lies in
};

}  // namespace sim::exec
