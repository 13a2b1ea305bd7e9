#include "grader/hunt/mutant.h"

#include <toml++/toml.h>
#include <algorithm>
#include <stdexcept>

namespace ladder::hunt {
namespace {

[[noreturn]] void complain(const std::string& where, const std::string& what) {
  throw std::runtime_error(where + ": " + what);
}

std::string text_of(const toml::table& table, const std::string& key, const std::string& where) {
  const auto value = table[key].value<std::string>();
  if (!value) complain(where, "wants a text '" + key + "'");
  return *value;
}

/// A misspelt key would be a check that is not made.
void refuse_others(const toml::table& table, const std::vector<std::string>& known,
                   const std::string& where) {
  for (const auto& [key, value] : table)
    if (std::find(known.begin(), known.end(), std::string(key.str())) == known.end())
      complain(where, "there is no key '" + std::string(key.str()) + "'");
}

std::optional<Lesson> lesson_of(const toml::table& table, const std::string& where) {
  const toml::table* hunt = table["hunt"].as_table();
  if (hunt == nullptr) return std::nullopt;
  refuse_others(*hunt, {"kind", "learn", "hint"}, where + ", [hunt]");
  const std::string name = text_of(*hunt, "kind", where);
  const std::optional<Kind> kind = kind_from(name);
  if (!kind) complain(where, "no kind of mistake is called '" + name + "'");
  return Lesson{*kind, text_of(*hunt, "learn", where), text_of(*hunt, "hint", where)};
}

}  // namespace

const char* to_string(Kind kind) {
  switch (kind) {
    case Kind::race:
      return "race";
    case Kind::bounds:
      return "bounds";
    case Kind::uninitialised:
      return "uninitialised";
    case Kind::barrier:
      return "barrier";
    case Kind::alignment:
      return "alignment";
    case Kind::launch:
      return "launch";
    case Kind::index:
      return "index";
    case Kind::coverage:
      return "coverage";
    case Kind::arithmetic:
      return "arithmetic";
    case Kind::host:
      return "host";
  }
  return "";
}

const std::vector<Kind>& all_kinds() {
  static const std::vector<Kind> kinds = {Kind::race,       Kind::bounds, Kind::uninitialised, Kind::barrier,
                                          Kind::alignment,  Kind::launch, Kind::index,         Kind::coverage,
                                          Kind::arithmetic, Kind::host};
  return kinds;
}

std::optional<Kind> kind_from(std::string_view name) {
  for (const Kind kind : all_kinds())
    if (name == to_string(kind)) return kind;
  return std::nullopt;
}

Mutant read_mutant(const std::filesystem::path& file) {
  const std::string where = file.string();
  toml::table table;
  try {
    table = toml::parse_file(where);
  } catch (const toml::parse_error& error) {
    complain(where, std::string(error.description()));
  }
  refuse_others(table,
                {"rung", "outcome", "diagnosis", "line", "words", "check", "all", "timed", "edit", "hunt"},
                where);
  Mutant mutant{.name = file.stem(),
                .rung = text_of(table, "rung", where),
                .outcome = text_of(table, "outcome", where),
                .diagnosis = table["diagnosis"].value_or(std::string()),
                .line = table["line"].value_or(std::string()),
                .words = {},
                .edits = {}};
  if (const toml::array* words = table["words"].as_array())
    for (const toml::node& word : *words) mutant.words.push_back(word.value_or(std::string()));
  if (const toml::array* edits = table["edit"].as_array())
    for (const toml::node& node : *edits) {
      if (!node.is_table()) complain(where, "an edit is a table with find and put");
      refuse_others(*node.as_table(), {"find", "put"}, where);
      mutant.edits.emplace_back(text_of(*node.as_table(), "find", where),
                                text_of(*node.as_table(), "put", where));
    }
  mutant.hunt = lesson_of(table, where);
  mutant.all_cases = table["all"].value_or(false);
  mutant.timed = table["timed"].value_or(false);
  if (mutant.timed && mutant.all_cases) complain(where, "is timed with the quick cases: leave `all` out");
  if (mutant.edits.empty()) complain(where, "has no [[edit]]: it would be the solution itself");
  if (mutant.words.empty() && mutant.diagnosis.empty() && mutant.outcome != "passed")
    complain(where, "wants a diagnosis, or words, that the grader must say");
  if (!mutant.line.empty() && mutant.outcome != "finding" && mutant.outcome != "idea_missing")
    complain(where, "only a finding, or an idea that is missing, has a line");
  for (const std::string& word : mutant.words)
    if (word.empty()) complain(where, "words are texts, and none is empty");
  return mutant;
}

std::string spoilt(const Mutant& mutant, std::string solution) {
  return spoilt(mutant, std::move(solution), "", "");
}

std::string spoilt(const Mutant& mutant, std::string solution, std::string_view before,
                   std::string_view behind) {
  for (const auto& [find, put] : mutant.edits) {
    const std::size_t at = solution.find(find);
    if (find.empty() || at == std::string::npos || solution.find(find, at + 1) != std::string::npos)
      complain(mutant.module(), "this is not in the solution exactly once:\n" + find);
    solution.replace(at, find.size(), std::string(before) + put + std::string(behind));
  }
  return solution;
}

}  // namespace ladder::hunt
