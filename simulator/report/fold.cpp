#include "simulator/report/fold.h"

#include <map>
#include <tuple>
#include <utility>
#include <variant>

#include "simulator/report/wording/words.h"

namespace sim {
namespace {

/// What distinguishes the mistakes behind messages without a line: the words, but neither the numbers in them
/// nor which of a call's allocations it was.
std::string words_without_numbers(const Message& message) {
  std::string words;
  for (const Message::Operand& operand : message.operands()) {
    if (const auto* text = std::get_if<std::string>(&operand)) words += *text;
    if (const auto* call = std::get_if<ApiCall>(&operand)) words += call->name;
    if (const auto* a = std::get_if<AllocationName>(&operand))
      words += a->origin.substr(0, a->origin.find('#'));
  }
  return words;
}

}  // namespace

std::vector<Finding> fold(std::vector<Finding> findings) {
  using Line = std::pair<std::string, int>;
  using Key = std::tuple<FindingKind, MemorySpace, AccessKind, int, Severity, std::string, Line, Line>;
  std::vector<Finding> folded;
  std::map<Key, std::size_t> known;
  for (Finding& f : findings) {
    const bool race = f.kind == FindingKind::race;
    Line here{f.file, f.line}, there = f.other ? Line{f.other->file, f.other->line} : Line{};
    if (race && there < here) std::swap(here, there);
    const std::string words = f.line > 0                    ? ""
                              : f.kind == FindingKind::leak ? sentence(f)
                                                            : words_without_numbers(f.message);
    const Key key{f.kind, f.space, race ? AccessKind::none : f.access, f.other ? 0 : f.nth, f.severity, words,
                  here,   there};
    const auto [at, fresh] = known.try_emplace(key, folded.size());
    if (fresh)
      folded.push_back(std::move(f));
    else
      folded[at->second].count += f.count;
  }
  return folded;
}

}  // namespace sim
