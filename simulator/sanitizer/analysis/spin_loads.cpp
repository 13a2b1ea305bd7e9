#include "simulator/sanitizer/analysis/spin_loads.h"

#include <algorithm>
#include <map>

namespace sim::sanitizer {

namespace {

bool is_strong_load(const ptx::Instruction& in) {
  return in.opcode == "ld" && (in.has("volatile") || in.has("relaxed") || in.has("acquire"));
}

const ptx::RegisterUse* register_of(const ptx::Operand& operand) {
  if (const auto* a = std::get_if<ptx::Address>(&operand.value))
    return std::get_if<ptx::RegisterUse>(&a->base);
  return std::get_if<ptx::RegisterUse>(&operand.value);
}

bool is_param(const ptx::Instruction& in) {
  return !in.qualifiers.empty() && in.qualifiers.front().starts_with("param");
}

const ptx::Function* callee_of(const Code& code, const ptx::Instruction& call) {
  for (const ptx::Operand& operand : call.operands)
    if (const auto* s = std::get_if<ptx::SymbolUse>(&operand.value)) return code.module->find(s->name);
  return nullptr;
}

/// Registers computed from one of some by copying and arithmetic, these included.
std::set<int> computed_from(const ptx::Function& f, std::size_t first, std::size_t last,
                            std::set<int> known) {
  for (std::size_t before = 0; before != known.size();) {
    before = known.size();
    for (std::size_t i = first; i <= last; ++i) {
      const ptx::Instruction& in = f.body[i];
      if (in.operands.size() < 2 || in.opcode == "ld" || in.opcode == "st" || in.opcode == "call") continue;
      const ptx::RegisterUse* const to = register_of(in.operands[0]);
      const bool uses = std::any_of(in.operands.begin() + 1, in.operands.end(), [&](const ptx::Operand& o) {
        const ptx::RegisterUse* const r = register_of(o);
        return r != nullptr && known.contains(r->index);
      });
      if (to != nullptr && uses) known.insert(to->index);
    }
  }
  return known;
}

/// Instructions [first, last] of a function.
class Loop {
 public:
  Loop(const Code& code, const ptx::Function& f, std::size_t first, std::size_t last)
      : code_(code), f_(f), first_(first), last_(last) {
    std::set<int> stack;
    for (const ptx::Instruction& in : f.body)
      if (in.opcode == "cvta" && in.has("local") && !in.has("to"))
        if (const auto* r = register_of(in.operands[0])) stack.insert(r->index);
    if (!stack.empty()) stack_ = computed_from(f, 0, f.body.size() - 1, std::move(stack));
  }

  /// Whether nobody else can see that it was executed.
  bool only_looks(int depth = 0) const {
    for (std::size_t i = first_; i <= last_; ++i)
      if (acts(f_.body[i], depth)) return false;
    return true;
  }

  /// The loads of one address that its end hangs on.
  std::vector<const ptx::Instruction*> waits() {
    std::vector<const ptx::Instruction*> loads, deciding;
    for (std::size_t i = first_; i <= last_; ++i) {
      const ptx::Instruction& in = f_.body[i];
      if (!is_strong_load(in) || !is_steady(in.operands[1])) continue;
      loads.push_back(&in);
      if (decides(in)) deciding.push_back(&in);
    }
    return deciding.empty() ? loads : deciding;
  }

  /// Those of a function that is called in each round with the same arguments.
  std::vector<const ptx::Instruction*> waits_in_call(std::size_t at) {
    const ptx::Function* const callee = callee_of(code_, f_.body[at]);
    if (callee == nullptr || callee->body.empty()) return {};
    for (std::size_t i = at; i-- > first_ && f_.body[i].opcode != "call";)
      if (f_.body[i].opcode == "st" && is_param(f_.body[i]) && !is_steady(f_.body[i].operands[1])) return {};
    return Loop(code_, *callee, 0, callee->body.size() - 1).waits();
  }

 private:
  bool acts(const ptx::Instruction& in, int depth) const {
    constexpr int kDeepest = 4;  // calls
    if (in.opcode == "call") {
      const ptx::Function* const callee = callee_of(code_, in);
      return callee != nullptr && !callee->body.empty() &&
             (depth == kDeepest || !Loop(code_, *callee, 0, callee->body.size() - 1).only_looks(depth + 1));
    }
    if (in.opcode == "st") {
      const ptx::RegisterUse* const to = register_of(in.operands[0]);
      return !in.has("local") && !is_param(in) && (to == nullptr || !stack_.contains(to->index));
    }
    return in.opcode == "atom" || in.opcode == "red" || in.opcode == "bar" || in.opcode == "barrier";
  }

  /// Whether a comparison hangs on what is loaded.
  bool decides(const ptx::Instruction& load) const {
    const ptx::RegisterUse* const to = register_of(load.operands[0]);
    if (to == nullptr) return false;
    const std::set<int> values = computed_from(f_, first_, last_, {to->index});
    for (std::size_t i = first_; i <= last_; ++i) {
      const ptx::Instruction& in = f_.body[i];
      if (in.opcode != "setp") continue;
      for (std::size_t k = 1; k < in.operands.size(); ++k)
        if (const auto* r = register_of(in.operands[k]); r != nullptr && values.contains(r->index))
          return true;
    }
    return false;
  }

  /// Whether an operand is the same in each round: no register that it is computed from depends on itself.
  bool is_steady(const ptx::Operand& operand) {
    const ptx::RegisterUse* const r = register_of(operand);
    return r == nullptr || is_steady(r->index);
  }

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

  const Code& code_;
  const ptx::Function& f_;
  std::size_t first_, last_;
  std::set<int> stack_;         ///< registers that point to the thread's own memory
  std::map<int, bool> steady_;  ///< by register
};

}  // namespace

std::set<const ptx::Instruction*> find_spin_loads(const Code& code) {
  std::set<const ptx::Instruction*> found;
  if (std::none_of(code.sources.begin(), code.sources.end(),
                   [](const ptx::Instruction* in) { return is_strong_load(*in); }))
    return found;
  for (const FunctionCode& f : code.functions) {
    const auto& body = f.source->body;
    for (std::size_t last = 0; last < body.size(); ++last) {
      const auto* label =
          body[last].operands.empty() ? nullptr : std::get_if<ptx::LabelUse>(&body[last].operands[0].value);
      if (body[last].opcode != "bra" || label == nullptr || label->target < 0 ||
          std::size_t(label->target) > last)
        continue;
      const auto first = std::size_t(label->target);
      Loop loop(code, *f.source, first, last);
      if (!loop.only_looks()) continue;
      for (const ptx::Instruction* load : loop.waits()) found.insert(load);
      for (std::size_t i = first; i < last; ++i)
        if (body[i].opcode == "call")
          for (const ptx::Instruction* load : loop.waits_in_call(i)) found.insert(load);
    }
  }
  return found;
}

}  // namespace sim::sanitizer
