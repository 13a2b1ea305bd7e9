#include "simulator/findings/guesses.h"

#include <algorithm>
#include <map>
#include <string>

namespace sim::findings {

namespace {

constexpr std::size_t kExpected = 2;  ///< operand of atom.cas: what it compares with

bool is_swap(const ptx::Instruction& in) {
  return in.opcode == "atom" && in.operands.size() == 4 &&
         std::find(in.qualifiers.begin(), in.qualifiers.end(), "cas") != in.qualifiers.end();
}

/// Who holds a value: a register or a .param variable of a function.
using Holder = std::pair<const ptx::Function*, std::string>;

/// Copies of values, through registers, arguments and results, each against its direction.
class Copies {
 public:
  Copies(const Code& code) : code_(code) {
    for (const FunctionCode& f : code.functions)
      for (const ptx::Instruction& in : f.source->body) add(*f.source, in);
  }

  std::set<const ptx::Instruction*> loads_of_wanted() {
    std::set<const ptx::Instruction*> found;
    std::set<Holder> seen;
    while (!wanted_.empty()) {
      const Holder holder = wanted_.back();
      wanted_.pop_back();
      if (!seen.insert(holder).second) continue;
      for (auto [at, end] = from_.equal_range(holder); at != end; ++at) wanted_.push_back(at->second);
      for (auto [at, end] = loads_.equal_range(holder); at != end; ++at) found.insert(at->second);
    }
    return found;
  }

 private:
  static std::string name_of(const ptx::Operand& operand) {
    if (const auto* r = std::get_if<ptx::RegisterUse>(&operand.value)) return '%' + std::to_string(r->index);
    if (const auto* s = std::get_if<ptx::SymbolUse>(&operand.value)) return s->name;
    const auto* a = std::get_if<ptx::Address>(&operand.value);
    const auto* base = a == nullptr ? nullptr : std::get_if<ptx::SymbolUse>(&a->base);
    return base == nullptr ? "" : base->name;
  }

  void add(const ptx::Function& f, const ptx::Instruction& in) {
    const auto& op = in.operands;
    const bool in_param = !in.qualifiers.empty() && in.qualifiers.front().starts_with("param");
    if (is_swap(in)) wanted_.push_back({&f, name_of(op[kExpected])});
    if (in.opcode == "call") return call(f, in);
    if (op.size() != 2) return;
    if (in.opcode == "ld" && !in_param)
      loads_.emplace(Holder{&f, name_of(op[0])}, &in);
    else if (in.opcode == "mov" || in.opcode == "cvt" ||
             ((in.opcode == "ld" || in.opcode == "st") && in_param))
      from_.emplace(Holder{&f, name_of(op[0])}, Holder{&f, name_of(op[1])});
  }

  void call(const ptx::Function& f, const ptx::Instruction& in) {
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

  const Code& code_;
  std::multimap<Holder, Holder> from_;
  std::multimap<Holder, const ptx::Instruction*> loads_;
  std::vector<Holder> wanted_;
};

}  // namespace

std::set<const ptx::Instruction*> find_guesses(const Code& code) {
  const bool swaps = std::any_of(code.sources.begin(), code.sources.end(),
                                 [](const ptx::Instruction* in) { return is_swap(*in); });
  return swaps ? Copies(code).loads_of_wanted() : std::set<const ptx::Instruction*>{};
}

}  // namespace sim::findings
