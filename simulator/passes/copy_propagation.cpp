// Copies of constants disappear: parameters, immediates and special registers are read where they are used.
#include "simulator/decode/ir.h"

namespace sim::exec {

namespace {

using Kind = IrOperand::Kind;

bool same_width(const Code& code, const IrOperand& from, const IrOperand& to) {
  const int width = to.type == ptx::Type::pred ? 4 : ptx::size_of(to.type);
  return from.kind == Kind::identity ? width == 4 : code.constants[std::size_t(from.index)].bytes == width;
}

}  // namespace

void propagate_copies(IrFunction& f) {
  std::vector<int> definitions(f.function.registers.size());
  for (const IrInstruction& d : f.instructions)
    for (const IrOperand& o : d.operands)
      if (o.kind == Kind::vreg && o.writes) ++definitions[std::size_t(o.index)];

  // A register defined once, by an unguarded copy of a constant, is that constant wherever it
  // is defined at all.
  std::vector<IrOperand> known(f.function.registers.size());
  const auto resolve = [&](IrOperand& o) {
    if (o.kind != Kind::vreg || !o.reads || o.writes) return;
    const IrOperand& constant = known[std::size_t(o.index)];
    if (constant.kind == Kind::none) return;
    const bool negated = o.negated;
    o = constant;
    o.negated = negated;
  };
  std::vector<int> moved_to(f.instructions.size() + 1);
  std::vector<bool> folded(f.instructions.size());
  for (std::size_t i = 0; i < f.instructions.size(); ++i) {
    IrInstruction& d = f.instructions[i];
    for (IrOperand& o : d.operands) resolve(o);
    if (!d.def->copies || d.guard.kind != Kind::none || d.operands.size() != 2) continue;
    const IrOperand &to = d.operands[0], &from = d.operands[1];
    const bool constant = from.kind == Kind::constant || from.kind == Kind::identity;
    if (to.kind != Kind::vreg || !constant || definitions[std::size_t(to.index)] != 1) continue;
    if (to.type == ptx::Type::pred || !same_width(f.in.code, from, to)) continue;
    known[std::size_t(to.index)] = from;
    known[std::size_t(to.index)].type = to.type;
    folded[i] = true;
  }

  std::vector<IrInstruction> kept;
  for (std::size_t i = 0; i < f.instructions.size(); ++i) {
    moved_to[i] = int(kept.size());
    if (folded[i]) continue;
    kept.push_back(std::move(f.instructions[i]));
    for (IrOperand& o : kept.back().operands) resolve(o);
  }
  moved_to[f.instructions.size()] = int(kept.size());
  for (IrInstruction& d : kept)
    for (int& target : d.targets) target = moved_to[std::size_t(target)];
  f.instructions = std::move(kept);
}

}  // namespace sim::exec
