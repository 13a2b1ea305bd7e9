#include "simulator/findings/waits.h"

#include <algorithm>
#include <map>

namespace sim::findings {

namespace {

bool has(const ptx::Instruction& in, std::string_view qualifier) {
  return std::find(in.qualifiers.begin(), in.qualifiers.end(), qualifier) != in.qualifiers.end();
}

bool is_strong_load(const ptx::Instruction& in) {
  return in.opcode == "ld" && (has(in, "volatile") || has(in, "relaxed") || has(in, "acquire"));
}

/// Whether others can see that it was executed.
bool acts(const ptx::Instruction& in) {
  const bool stores = in.opcode == "st" && !has(in, "local") && !in.qualifiers.front().starts_with("param");
  return stores || in.opcode == "atom" || in.opcode == "red" || in.opcode == "bar" || in.opcode == "barrier";
}

/// Instructions [first, last] of a function.
class Loop {
 public:
  Loop(const ptx::Function& f, std::size_t first, std::size_t last) : f_(f), first_(first), last_(last) {}

  bool only_looks() const {
    for (std::size_t i = first_; i <= last_; ++i)
      if (acts(f_.body[i])) return false;
    return true;
  }

  /// Whether an operand is the same in each round: no register that it is computed from depends on itself.
  bool is_steady(const ptx::Operand& operand) {
    if (const auto* r = std::get_if<ptx::RegisterUse>(&operand.value)) return is_steady(r->index);
    if (const auto* a = std::get_if<ptx::Address>(&operand.value)) {
      const auto* r = std::get_if<ptx::RegisterUse>(&a->base);
      return r == nullptr || is_steady(r->index);
    }
    return true;
  }

 private:
  bool is_steady(int index) {
    const auto [known, fresh] = steady_.try_emplace(index, false);  // until all it depends on is known
    if (!fresh) return known->second;
    bool steady = true;
    for (std::size_t i = first_; i <= last_ && steady; ++i) {
      const ptx::Instruction& in = f_.body[i];
      const auto* to = in.operands.empty() ? nullptr : std::get_if<ptx::RegisterUse>(&in.operands[0].value);
      if (to == nullptr || to->index != index || in.opcode == "st" || in.opcode == "bra") continue;
      for (std::size_t k = 1; k < in.operands.size() && steady; ++k) steady = is_steady(in.operands[k]);
    }
    return steady_[index] = steady;
  }

  const ptx::Function& f_;
  std::size_t first_, last_;
  std::map<int, bool> steady_;  ///< by register
};

}  // namespace

std::set<const ptx::Instruction*> find_waits(const Code& code) {
  std::set<const ptx::Instruction*> found;
  for (const FunctionCode& f : code.functions) {
    const auto& body = f.source->body;
    if (std::none_of(body.begin(), body.end(), is_strong_load)) continue;
    for (std::size_t last = 0; last < body.size(); ++last) {
      const auto* label =
          body[last].operands.empty() ? nullptr : std::get_if<ptx::LabelUse>(&body[last].operands[0].value);
      if (body[last].opcode != "bra" || label == nullptr || label->target < 0 ||
          std::size_t(label->target) > last)
        continue;
      Loop loop(*f.source, std::size_t(label->target), last);
      if (!loop.only_looks()) continue;
      for (std::size_t i = std::size_t(label->target); i < last; ++i)
        if (is_strong_load(body[i]) && loop.is_steady(body[i].operands[1])) found.insert(&body[i]);
    }
  }
  return found;
}

}  // namespace sim::findings
