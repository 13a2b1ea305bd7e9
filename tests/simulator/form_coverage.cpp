// Every instruction form has a test: its spelling occurs in a case recorded on a GPU (truth/), or in a test
// of forms (form_*.cpp) or of the interpreter (exec_*.cpp).
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

#include "simulator/exec/form.h"
#include "tests/simulator/truth/cases.h"

using namespace sim::exec;

namespace {

/// Qualifiers by opcode, of everything in a text that looks like an instruction.
using Spellings = std::map<std::string, std::set<std::vector<std::string>>>;

void collect(const std::string& text, Spellings& into) {
  const auto part = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == ':' || c == '%';
  };
  for (std::size_t at = 0; at < text.size();) {
    if (!part(text[at])) {
      ++at;
      continue;
    }
    std::vector<std::string> parts(1);
    for (; at < text.size() && (part(text[at]) || text[at] == '.'); ++at) {
      if (text[at] == '.') {
        parts.emplace_back();
      } else {
        parts.back() += text[at];
      }
    }
    const std::string opcode = parts.front();
    parts.erase(parts.begin());
    into[opcode].insert(parts);
  }
}

Spellings tested() {
  Spellings all;
  for (const auto& file : std::filesystem::directory_iterator(LADDER_TEST_DATA)) {
    const std::string name = file.path().filename().string();
    if (name == "form_coverage.cpp" || (name.rfind("form_", 0) != 0 && name.rfind("exec_", 0) != 0)) continue;
    std::ifstream in(file.path());
    collect(std::string(std::istreambuf_iterator<char>(in), {}), all);
  }
  for (const auto& c : sim::truth::all_cases()) collect(c.body, all);
  return all;
}

std::string replaced(std::string pattern, char placeholder, const std::string& text) {
  for (std::size_t at = 0; (at = pattern.find(placeholder, at)) != pattern.npos; at += text.size())
    pattern.replace(at, 1, text);
  return pattern;
}

/// The patterns of a line of the table, one for each of its types.
std::vector<std::string> patterns_of(const FormInfo& info) {
  if (info.types.empty()) return {info.form};
  std::vector<std::string> all;
  std::istringstream types(info.types);
  for (std::string type; types >> type;) {
    const std::string bits = type.substr(type.find_first_of("0123456789"));
    all.push_back(replaced(replaced(info.form, '$', type), '%', bits));
  }
  return all;
}

/// Forms that no test spells out as a whole: hints without effect, and what programs/*.cu and the corpus run
/// by way of the toolkit's headers. To be made shorter, never longer.
constexpr const char* kByOtherWays[] = {
    "mov.pred",      "ldu",
    "cvta(",         "discard",
    "fence",         "red{.relaxed",
    "brkpt",         "barrier{.cta}",
    "cp.async(",     "cp.async.mbarrier",
    "mbarrier.",     "%clock",
    "%globaltimer",  "nanosleep",
    "pmevent",       "griddepcontrol",
    "suld.b",        "sust.b",
    "alloca",        "stacksave",
    "stackrestore",  "createpolicy.cvt",
    "applypriority", "prefetch",
    "mapa",          "getctarank",
    "isspacep",      "barrier.cluster",
    "setmaxnreg",    "atom{.relaxed,.acquire,.release,.acq_rel}{.cta,.cluster,.gpu,.sys}{.global}."};

bool goes_other_ways(const std::string& pattern) {
  if (pattern.find(".bf16") != pattern.npos && pattern.find("8") != pattern.npos &&
      pattern.rfind("cvt", 0) == 0)
    return true;  // u8 and s8 with bf16: ptxas takes them for no register that nvcc would use
  return std::any_of(std::begin(kByOtherWays), std::end(kByOtherWays),
                     [&](const char* way) { return pattern.rfind(way, 0) == 0; });
}

}  // namespace

TEST_CASE("every instruction form has a test") {
  const Spellings spellings = tested();
  int untested = 0;
  for (const FormInfo& info : supported_forms()) {
    for (const std::string& pattern : patterns_of(info)) {
      const std::size_t end = std::min(pattern.find_first_of(".{("), pattern.size());
      const std::string opcode = pattern.substr(0, end);
      if (opcode.find('_') != opcode.npos && opcode[0] != '%')
        continue;  // made by the decoder, not by programs
      const auto known = spellings.find(opcode);
      const bool found = known != spellings.end() &&
                         std::any_of(known->second.begin(), known->second.end(), [&](const auto& qualifiers) {
                           return fits(std::string_view(pattern).substr(end), qualifiers);
                         });
      if (found || goes_other_ways(pattern)) continue;
      ++untested;
      WARN(info.family << ": " << pattern);
    }
  }
  CHECK(untested == 0);
}
