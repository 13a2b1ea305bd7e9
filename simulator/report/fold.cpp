#include "simulator/report/fold.h"

#include <cctype>
#include <map>
#include <tuple>
#include <utility>

namespace sim {
namespace {

/// Digits that belong to a name stay.
std::string without_numbers(const std::string& text) {
  std::string words;
  bool in_name = false;
  for (const char c : text) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit) in_name = c == '_' || std::isalpha(static_cast<unsigned char>(c)) != 0;
    if (!digit || in_name) words += c;
  }
  return words;
}

}  // namespace

std::vector<Finding> fold(std::vector<Finding> findings) {
  using Line = std::pair<std::string, int>;
  using Key = std::tuple<FindingKind, std::string, std::string, int, Severity, std::string, Line, Line>;
  std::vector<Finding> folded;
  std::map<Key, std::size_t> known;
  for (Finding& f : findings) {
    const bool race = f.kind == FindingKind::race;
    Line here{f.file, f.line}, there = f.other ? Line{f.other->file, f.other->line} : Line{};
    if (race && there < here) std::swap(here, there);
    const std::string words = f.line > 0                    ? ""
                              : f.kind == FindingKind::leak ? f.message
                                                            : without_numbers(f.message);
    const Key key{f.kind, f.space, race ? "" : f.access, f.other ? 0 : f.nth, f.severity, words, here, there};
    const auto [at, fresh] = known.try_emplace(key, folded.size());
    if (fresh)
      folded.push_back(std::move(f));
    else
      folded[at->second].count += f.count;
  }
  return folded;
}

}  // namespace sim
