#include "simulator/sanitizer/analysis/store_load_pairs.h"

#include <utility>

namespace sim::sanitizer {

namespace {

/// The address that a load or store uses, as far as the text tells: base and offset.
using Where = std::pair<std::string, s64>;

Where where_of(const ptx::Operand& operand) {
  const auto* a = std::get_if<ptx::Address>(&operand.value);
  if (a == nullptr) return {};
  if (const auto* r = std::get_if<ptx::RegisterUse>(&a->base))
    return {'%' + std::to_string(r->index), a->offset};
  if (const auto* s = std::get_if<ptx::SymbolUse>(&a->base)) return {s->name, s->offset + a->offset};
  return {};
}

bool computes(const std::string& opcode) {
  static const std::set<std::string> kOpcodes = {"add", "sub", "mul", "mad", "fma", "min", "max", "and",
                                                 "or",  "xor", "mov", "cvt", "shl", "shr", "div"};
  return kOpcodes.contains(opcode);
}

/// The loads that a register's value was computed from: the one with the wanted address, null when there is
/// none, and others.
Update update_of(const std::multimap<int, const ptx::Instruction*>& giving, int index, const Where& wanted) {
  Update update;
  std::vector<int> open = {index};
  std::set<int> seen;
  while (!open.empty() && seen.size() < 32) {
    const int now = open.back();
    open.pop_back();
    if (!seen.insert(now).second) continue;
    for (auto [at, end] = giving.equal_range(now); at != end; ++at) {
      const ptx::Instruction& in = *at->second;
      if (in.opcode == "ld") {
        if (where_of(in.operands[1]) == wanted)
          update.load = &in;
        else
          update.others.push_back(&in);
      }
      if (!computes(in.opcode)) continue;
      for (std::size_t i = 1; i < in.operands.size(); ++i)
        if (const auto* r = std::get_if<ptx::RegisterUse>(&in.operands[i].value)) open.push_back(r->index);
    }
  }
  return update;
}

}  // namespace

std::map<const ptx::Instruction*, Update> find_read_modify_writes(const Code& code) {
  std::map<const ptx::Instruction*, Update> found;
  for (const FunctionCode& f : code.functions) {
    std::multimap<int, const ptx::Instruction*> giving;  // by register
    for (const ptx::Instruction& in : f.source->body)
      if (in.operands.size() >= 2 && (in.opcode == "ld" || computes(in.opcode)))
        if (const auto* to = std::get_if<ptx::RegisterUse>(&in.operands[0].value))
          giving.emplace(to->index, &in);
    for (const ptx::Instruction& in : f.source->body) {
      if (in.opcode != "st" || in.operands.size() != 2) continue;
      const Where there = where_of(in.operands[0]);
      const auto* value = std::get_if<ptx::RegisterUse>(&in.operands[1].value);
      if (there.first.empty() || value == nullptr) continue;
      if (Update update = update_of(giving, value->index, there); update.load != nullptr)
        found.emplace(&in, std::move(update));
    }
  }
  return found;
}

std::set<const ptx::Instruction*> find_store_to_load_reloads(const Code& code) {
  std::set<const ptx::Instruction*> found;
  for (const FunctionCode& f : code.functions) {
    const ptx::Instruction* before = nullptr;
    for (const ptx::Instruction& in : f.source->body) {
      if (before != nullptr && before->opcode == "st" && in.opcode == "ld" && before->guard.predicate < 0 &&
          before->qualifiers == in.qualifiers && in.ptx_line == before->ptx_line + 1) {  // nobody jumps there
        const Where there = where_of(before->operands[0]);
        if (!there.first.empty() && there == where_of(in.operands[1])) found.insert(&in);
      }
      before = &in;
    }
  }
  return found;
}

}  // namespace sim::sanitizer
