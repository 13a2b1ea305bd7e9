#include "simulator/sanitizer/analysis/operand_sources.h"

#include <algorithm>

#include "simulator/sanitizer/analysis/copy_chains.h"

namespace sim::sanitizer {

namespace {

constexpr std::size_t kExpected = 2;  ///< operand of atom.cas: what it compares with
constexpr std::size_t kMask = 4;      ///< operand of shfl.sync: the lanes that it names

bool is_swap(const ptx::Instruction& in) {
  return in.opcode == "atom" && in.operands.size() == 4 && in.has("cas");
}

/// A shuffle whose lanes read from a place relative to their own.
bool is_relative_shuffle(const ptx::Instruction& in) {
  return in.opcode == "shfl" && in.operands.size() == 5 && !in.has("idx");
}

/// The operand of every such instruction. @param is  which ones
template <class Is>
std::vector<std::pair<const ptx::Instruction*, CopyChains::Holder>> operands_of(const Code& code, Is is,
                                                                                std::size_t operand) {
  std::vector<std::pair<const ptx::Instruction*, CopyChains::Holder>> all;
  for (const FunctionCode& f : code.functions)
    for (const ptx::Instruction& in : f.source->body)
      if (is(in)) all.push_back({&in, {f.source, CopyChains::name_of(in.operands[operand])}});
  return all;
}

}  // namespace

std::set<const ptx::Instruction*> find_expected_value_loads(const Code& code) {
  std::vector<CopyChains::Holder> expected;
  for (auto& [in, holder] : operands_of(code, is_swap, kExpected)) expected.push_back(holder);
  if (expected.empty()) return {};
  std::set<const ptx::Instruction*> found = CopyChains(code).sources_of(std::move(expected));
  std::erase_if(found, [](const ptx::Instruction* in) { return in->opcode != "ld"; });
  return found;
}

std::set<const ptx::Instruction*> find_activemask_shuffles(const Code& code) {
  const bool asks = std::any_of(code.sources.begin(), code.sources.end(),
                                [](const ptx::Instruction* in) { return in->opcode == "activemask"; });
  std::set<const ptx::Instruction*> found;
  if (!asks) return found;
  const CopyChains copies(code);
  for (auto& [in, holder] : operands_of(code, is_relative_shuffle, kMask)) {
    const auto sources = copies.sources_of({holder});
    if (std::any_of(sources.begin(), sources.end(),
                    [](const ptx::Instruction* source) { return source->opcode == "activemask"; }))
      found.insert(in);
  }
  return found;
}

}  // namespace sim::sanitizer
