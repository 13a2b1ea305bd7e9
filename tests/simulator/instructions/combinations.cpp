// Every combination of qualifiers of an arithmetic form is recorded on a GPU, or one that ptxas refuses.
#include <catch2/catch_test_macros.hpp>
#include <cctype>
#include <map>
#include <sstream>

#include "simulator/decode/instruction_def.h"
#include "tests/simulator/instructions/ptxas_support.h"

using namespace sim::truth;
using namespace sim::test::ptxas_says;

namespace {

const std::set<std::string> kFamilies{"integer",        "logic",
                                      "comparison",     "floating point",
                                      "conversion",     "approximate functions",
                                      "half precision", "half precision conversion",
                                      "video"};

/// The spellings of a family's line, one pattern for each of its types.
std::vector<std::string> patterns_of(const sim::exec::InstructionInfo& info) {
  if (info.types.empty()) return {info.pattern};
  std::vector<std::string> all;
  std::istringstream types(info.types);
  for (std::string type; types >> type;) {
    std::string pattern = info.pattern;
    const std::string bits = type.substr(type.find_first_of("0123456789"));
    for (const auto& [mark, text] : {std::pair{'$', type}, std::pair{'%', bits}})
      for (std::size_t at; (at = pattern.find(mark)) != pattern.npos;) pattern.replace(at, 1, text);
    all.push_back(pattern);
  }
  return all;
}

bool in_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == ':';
}

/// Spellings that engine/spellings.cpp compares with another that is recorded.
const std::set<std::string> kSameAsOthers{"min.s32.relu",      "min.relu.s32.relu",   "max.s32.relu",
                                          "max.relu.s32.relu", "min.s16x2.relu",      "min.relu.s16x2.relu",
                                          "max.s16x2.relu",    "max.relu.s16x2.relu", "cvt.bf16.bf16"};

/// Instructions of all cases: each with a case that has it.
std::map<std::string, const Case*> recorded(const std::vector<Case>& cases) {
  std::map<std::string, const Case*> all;
  for (const Case& c : cases) {
    for (std::size_t at = 0; at < c.body.size();) {
      std::size_t end = at;
      while (end < c.body.size() && in_word(c.body[end])) ++end;
      if (end > at) all.emplace(c.body.substr(at, end - at), &c);
      at = end + 1;
    }
  }
  return all;
}

/// A case with another instruction in the place of the one it has.
Case instead(const Case& c, const std::string& has, const std::string& other) {
  Case changed = c;
  for (std::size_t at = 0; (at = changed.body.find(has, at)) != changed.body.npos; at += other.size()) {
    const std::size_t end = at + has.size();
    const bool whole = (at == 0 || !in_word(changed.body[at - 1])) &&
                       (end == changed.body.size() || !in_word(changed.body[end]));
    if (whole) changed.body.replace(at, has.size(), other);
  }
  changed.name = other;
  return changed;
}

}  // namespace

TEST_CASE("every combination of qualifiers of an arithmetic form is recorded, or refused by ptxas") {
  if (!std::filesystem::exists(ptxas())) SKIP("no ptxas beside " LADDER_NVCC);
  const std::vector<Case> cases = all_cases();
  const auto known = recorded(cases);
  std::vector<Case> others;
  int combinations = 0;
  for (const auto& info : sim::exec::supported_instructions()) {
    if (!kFamilies.contains(info.family)) continue;
    for (const std::string& pattern : patterns_of(info)) {
      const std::vector<std::string> spellings = expand(pattern);
      std::string example;
      for (const std::string& spelling : spellings)
        if (known.contains(spelling)) example = spelling;
      if (spellings.size() == 1 && example.empty()) continue;  // nothing to combine: tested elsewhere
      INFO(pattern);
      REQUIRE(!example.empty());
      for (const std::string& spelling : spellings) {
        ++combinations;
        if (!known.contains(spelling) && !kSameAsOthers.contains(spelling))
          others.push_back(instead(*known.at(example), example, spelling));
      }
    }
  }
  CHECK(combinations > 5000);
  const std::set<std::size_t> refused = refused_by_ptxas(others, 90);
  for (std::size_t k = 0; k < others.size(); ++k) {
    INFO(others[k].name);
    CHECK(refused.contains(k));
  }
}
