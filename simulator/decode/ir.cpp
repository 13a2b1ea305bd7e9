#include "simulator/decode/operand_lowering.h"

#include <algorithm>

#include "simulator/instructions/control/builtins.h"

namespace sim::exec {

int constant_index(Code& code, const Constant& wanted) {
  const auto [known, fresh] = code.constant_indices.try_emplace(
      std::tuple(wanted.kind, wanted.bytes, wanted.special, wanted.type, wanted.value),
      int(code.constants.size()));
  if (!fresh) return known->second;
  code.constants.push_back(wanted);
  code.constants.back().offset = code.constant_bytes;
  code.constant_bytes += std::max<u32>(wanted.bytes, 4) * kLanes;
  return int(code.constants.size()) - 1;
}

using Kind = IrOperand::Kind;

void OperandLowering::finish() {
  check_area();
  if (area_ != nullptr) ir_.offset += area_->offset;
  if (source_.guard.predicate >= 0) {
    ir_.guard = reg({source_.guard.predicate, source_.guard.negated}, Role::read);
    const Flow flow = ir_.def->flow;
    if (flow == Flow::converge || flow == Flow::barrier || flow == Flow::call) {
      // Where lanes wait, a guard is a jump around.
      IrInstruction around;
      around.source = &source_;
      around.def = find_instruction("bra");
      around.guard = ir_.guard;
      around.guard.negated = !around.guard.negated;
      around.targets = {int(&source_ - f_.function.body.data()) + 1};
      f_.instructions.push_back(std::move(around));
      ir_.guard = {};
    }
  }
  f_.instructions.push_back(std::move(ir_));
}

void OperandLowering::run() {
  if (source_.opcode == "call") return call();
  if (parameter_load()) return;
  ir_.def = find_instruction(source_, f_.function.registers);
  if (ir_.def == nullptr) refuse("");
  const InstructionDef& def = *ir_.def;
  require_target(needed_target(def, source_.qualifiers), "the instruction " + source_.mnemonic());
  if (source_.operands.size() > def.operands.size()) refuse("");
  for (std::size_t i = 0; i < def.operands.size(); ++i) {
    const std::size_t before = ir_.operands.size();
    if (i < source_.operands.size()) {
      lower(source_.operands[i], def.operands[i]);
    } else if (def.operands[i].optional) {
      const int bytes = std::max(4, ptx::size_of(def.operands[i].type));
      if (def.operands[i].role != Role::ignored)
        ir_.operands.push_back(constant(Constant::Kind::bits, 0, bytes));
    } else {
      reject("it has too few operands");
    }
    ir_.counts.push_back(int(ir_.operands.size() - before));
  }
  finish();
}

void OperandLowering::lower(const ptx::Operand& operand, const OperandSpec& spec) {
  const ptx::Type type = spec.type != ptx::Type::none ? spec.type : written_type(source_);
  if (spec.role == Role::ignored) return;
  if (spec.role == Role::address) {
    const auto* at = std::get_if<ptx::Address>(&operand.value);
    if (at == nullptr) reject("an address is missing");
    return address(*at);
  }
  if (spec.role == Role::label) return labels(operand);
  elements(operand, spec.role == Role::pair ? Role::write : spec.role, type);
  if (spec.role == Role::pair) {
    if (operand.paired) {
      value(*operand.paired, Role::write, ptx::Type::pred);
    } else {
      ir_.operands.push_back({Kind::none, false, true, false, -1, ptx::Type::pred});
    }
  }
}

/// The registers of a vector are of one width; its other elements take it.
void OperandLowering::elements(const ptx::Operand& operand, Role role, ptx::Type type) {
  if (const auto* list = std::get_if<ptx::BracketList>(&operand.value)) {
    for (const auto& e : list->elements) elements(e, role, type);
    return;
  }
  const auto* list = std::get_if<ptx::VectorUse>(&operand.value);
  if (list == nullptr) return value(operand, role, type);
  const std::size_t before = ir_.operands.size();
  int width = -1;
  for (const auto& e : list->elements) {
    elements(e, role, type);
    if (!std::holds_alternative<ptx::RegisterUse>(e.value)) continue;
    const int bytes = ptx::size_of(ir_.operands.back().type);
    if (width >= 0 && width != bytes) reject("the elements of a vector differ in width");
    width = bytes;
  }
  for (std::size_t i = before; width >= 0 && i < ir_.operands.size(); ++i) {
    IrOperand& o = ir_.operands[i];
    if (o.kind == Kind::identity && width != 4) reject("the elements of a vector differ in width");
    if (o.kind != Kind::constant) continue;
    Constant c = f_.in.code.constants[std::size_t(o.index)];
    c.bytes = u8(std::max(2, width));
    o.index = constant_index(f_.in.code, c);
  }
}

void OperandLowering::labels(const ptx::Operand& operand) {
  const auto add = [&](const ptx::Operand& one) {
    const auto* label = std::get_if<ptx::LabelUse>(&one.value);
    if (label == nullptr) reject("a label is missing");
    ir_.targets.push_back(label->target);
  };
  if (const auto* list = std::get_if<ptx::VectorUse>(&operand.value)) {
    for (const auto& e : list->elements) add(e);
  } else {
    add(operand);
  }
  if (ir_.targets.empty()) reject("a label is missing");
}

/// ld.param of a kernel's parameter is a copy of a constant.
bool OperandLowering::parameter_load() {
  if (source_.opcode != "ld" || !f_.is_kernel || source_.operands.size() != 2) return false;
  const auto* at = std::get_if<ptx::Address>(&source_.operands[1].value);
  const auto* named = at == nullptr ? nullptr : std::get_if<ptx::SymbolUse>(&at->base);
  if (named == nullptr) return false;
  u64 offset = 0;
  const ptx::Variable* parameter = nullptr;
  for (const ptx::Variable& p : f_.function.params) {
    offset = (offset + p.align - 1) / p.align * p.align;
    if (p.name == named->name) {
      parameter = &p;
      break;
    }
    offset += p.size;
  }
  if (parameter == nullptr) return false;
  const ptx::Type type = written_type(source_);
  const u64 within = u64(named->offset) + u64(at->offset);  // a negative one is a huge one
  u64 from = offset + within;
  const auto one = [&](const ptx::Operand& to) {
    const u64 size = u64(ptx::size_of(type));
    if (size == 0 || size > parameter->size || from - offset > parameter->size - size)
      reject("it reaches beyond the parameter " + parameter->name);
    if (const auto* use = std::get_if<ptx::RegisterUse>(&to.value)) {
      const IrOperand d = reg(*use, Role::write);
      const int bytes = ptx::size_of(d.type);
      ir_.def = u64(bytes) < size ? nullptr : find_instruction("mov", {"b" + std::to_string(8 * bytes)});
      if (ir_.def == nullptr)
        reject("register " + f_.function.registers[std::size_t(use->index)].name + " is of another type");
      ir_.counts = {1, 1};
      ir_.operands = {d, constant(Constant::Kind::parameter, from, bytes, type)};
      IrInstruction kept = ir_;
      finish();
      ir_ = std::move(kept);
    }
    from += size;
  };
  if (const auto* list = std::get_if<ptx::VectorUse>(&source_.operands[0].value)) {
    for (const auto& e : list->elements) one(e);
  } else {
    one(source_.operands[0]);
  }
  return true;
}

Area OperandLowering::area_of(const ptx::Operand& operand) const {
  const auto* named = std::get_if<ptx::SymbolUse>(&operand.value);
  const Area* area = named == nullptr ? nullptr : f_.code.area(named->name);
  if (area == nullptr) refuse("arguments that are not .param variables");
  return *area;
}

void OperandLowering::call() {
  auto detail = std::make_unique<CallDetail>();
  std::size_t next = 0;
  const auto take_list = [&](std::vector<Area>& areas) {
    if (next >= source_.operands.size()) return;
    const auto* list = std::get_if<ptx::VectorUse>(&source_.operands[next].value);
    if (list == nullptr) return;
    for (const auto& e : list->elements) areas.push_back(area_of(e));
    ++next;
  };
  take_list(detail->results);
  if (next >= source_.operands.size()) reject("there is no function to call");
  const ptx::Operand& target = source_.operands[next++];
  take_list(detail->arguments);

  if (const auto* named = std::get_if<ptx::SymbolUse>(&target.value)) {
    const ptx::Function* callee = f_.in.module.find(named->name);
    const auto known = f_.in.functions.find(callee);
    if (known == f_.in.functions.end()) detail->builtin = find_builtin(named->name, *detail);
    if (known != f_.in.functions.end()) {
      detail->function = known->second;
    } else if (detail->builtin == nullptr) {
      const bool launches = named->name.starts_with("__cudaCDP");
      if (!launches) unresolved(f_.in.module, f_.in.kernel, source_, named->name);
      refuse("dynamic parallelism (a kernel that launches kernels: function " + named->name + ")");
    }
  } else if (const auto* use = std::get_if<ptx::RegisterUse>(&target.value)) {
    ir_.operands.push_back(reg(*use, Role::read));
    if (ptx::size_of(ir_.operands.back().type) != 8) reject("a function pointer has 64 bits");
  } else {
    reject("there is no function to call");
  }
  ir_.def = find_instruction(detail->builtin         ? "call_builtin"
                             : detail->function >= 0 ? "call"
                                                     : "call_indirect");
  ir_.call = int(f_.in.code.calls.size());
  f_.in.code.calls.push_back(std::move(detail));
  finish();
}

void lower_function(IrFunction& f) {
  std::vector<int> draft_at;  // by instruction of the body
  for (const ptx::Instruction& instruction : f.function.body) {
    draft_at.push_back(int(f.instructions.size()));
    OperandLowering(f, instruction).run();
  }
  draft_at.push_back(int(f.instructions.size()));
  static const ptx::Instruction end{"ret", {}, {}, {}, -1, 0};  // falling off the end returns
  f.instructions.push_back({});
  f.instructions.back().source = &end;
  f.instructions.back().def = find_instruction("ret");
  for (IrInstruction& d : f.instructions)
    for (int& target : d.targets) target = draft_at[std::size_t(target)];
}

}  // namespace sim::exec
