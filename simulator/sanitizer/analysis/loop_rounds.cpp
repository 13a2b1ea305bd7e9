#include "simulator/sanitizer/analysis/loop_rounds.h"

#include <algorithm>
#include <optional>

#include "simulator/engine/fault.h"

namespace sim::sanitizer {

namespace {

bool is_barrier(const ptx::Instruction& in) {
  return (in.opcode == "bar" || in.opcode == "barrier") && !in.has("arrive");
}

/// Whether it waits for others, itself or in a function that it calls.
bool waits(const ptx::Module& module, const ptx::Instruction& in) {
  if (in.opcode != "call") return is_barrier(in);
  for (const ptx::Operand& operand : in.operands) {
    const auto* const symbol = std::get_if<ptx::SymbolUse>(&operand.value);
    const ptx::Function* const callee = symbol == nullptr ? nullptr : module.find(symbol->name);
    if (callee != nullptr) return std::any_of(callee->body.begin(), callee->body.end(), is_barrier);
  }
  return false;
}

/// Whether a branch at or behind @p last leads to @p first or before it.
bool is_loop(const ptx::Function& f, std::size_t first, std::size_t last) {
  for (std::size_t i = last; i < f.body.size(); ++i)
    if (f.body[i].opcode == "bra")
      for (const ptx::Operand& operand : f.body[i].operands)
        if (const auto* const label = std::get_if<ptx::LabelUse>(&operand.value))
          if (std::size_t(label->target) <= first) return true;
  return false;
}

}  // namespace

bool is_met_next_round(const exec::Code& code, const SourceLine& there, const SourceLine& here) {
  if (there.file != here.file || there.line <= here.line) return false;
  for (const exec::FunctionCode& function : code.functions) {
    const std::vector<ptx::Instruction>& body = function.source->body;
    std::optional<std::size_t> first, last;
    for (std::size_t i = 0; i < body.size(); ++i) {
      const SourceLine line = exec::line_outside_headers(*code.module, body[i]);
      if (line == here && !first) first = i;
      if (line == there) last = i;
    }
    if (!first || !last || *last < *first || !is_loop(*function.source, *first, *last)) continue;
    for (std::size_t i = *first; i < *last; ++i)
      if (waits(*code.module, body[i])) return true;
  }
  return false;
}

}  // namespace sim::sanitizer
