#include "simulator/sanitizer/analysis/copy_chains.h"

#include <algorithm>

namespace sim::sanitizer {

CopyChains::CopyChains(const Code& code) : code_(code) {
  for (const FunctionCode& f : code.functions)
    for (const ptx::Instruction& in : f.source->body) add(*f.source, in);
}

std::string CopyChains::name_of(const ptx::Operand& operand) {
  if (const auto* r = std::get_if<ptx::RegisterUse>(&operand.value)) return '%' + std::to_string(r->index);
  if (const auto* s = std::get_if<ptx::SymbolUse>(&operand.value)) return s->name;
  const auto* a = std::get_if<ptx::Address>(&operand.value);
  const auto* base = a == nullptr ? nullptr : std::get_if<ptx::SymbolUse>(&a->base);
  return base == nullptr ? "" : base->name;
}

std::set<const ptx::Instruction*> CopyChains::sources_of(std::vector<Holder> wanted) const {
  std::set<const ptx::Instruction*> found;
  std::set<Holder> seen;
  while (!wanted.empty()) {
    const Holder holder = wanted.back();
    wanted.pop_back();
    if (!seen.insert(holder).second) continue;
    for (auto [at, end] = from_.equal_range(holder); at != end; ++at) wanted.push_back(at->second);
    for (auto [at, end] = sources_.equal_range(holder); at != end; ++at) found.insert(at->second);
  }
  return found;
}

void CopyChains::add(const ptx::Function& f, const ptx::Instruction& in) {
  const auto& op = in.operands;
  const bool in_param = !in.qualifiers.empty() && in.qualifiers.front().starts_with("param");
  if (in.opcode == "call") return call(f, in);
  if (in.opcode == "activemask" && op.size() == 1) sources_.emplace(Holder{&f, name_of(op[0])}, &in);
  if (op.size() != 2) return;
  if (in.opcode == "ld" && !in_param)
    sources_.emplace(Holder{&f, name_of(op[0])}, &in);
  else if (in.opcode == "mov" || in.opcode == "cvt" || ((in.opcode == "ld" || in.opcode == "st") && in_param))
    from_.emplace(Holder{&f, name_of(op[0])}, Holder{&f, name_of(op[1])});
}

void CopyChains::call(const ptx::Function& f, const ptx::Instruction& in) {
  const ptx::Function* callee = nullptr;
  std::vector<std::string> results, arguments;
  for (const ptx::Operand& operand : in.operands) {
    if (const auto* list = std::get_if<ptx::VectorUse>(&operand.value)) {
      for (const ptx::Operand& e : list->elements)
        (callee == nullptr ? results : arguments).push_back(name_of(e));
    } else if (const auto* s = std::get_if<ptx::SymbolUse>(&operand.value);
               s != nullptr && callee == nullptr) {
      callee = code_.module->find(s->name);
    }
  }
  if (callee == nullptr) return;
  for (std::size_t i = 0; i < std::min(arguments.size(), callee->params.size()); ++i)
    from_.emplace(Holder{callee, callee->params[i].name}, Holder{&f, arguments[i]});
  for (std::size_t i = 0; i < std::min(results.size(), callee->results.size()); ++i)
    from_.emplace(Holder{&f, results[i]}, Holder{callee, callee->results[i].name});
}

}  // namespace sim::sanitizer
