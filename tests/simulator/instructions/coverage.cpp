// Every instruction form has a test: its spelling occurs in a case recorded on a GPU (truth/), in a test of
// forms (form_*.cpp) or of the interpreter (exec_*.cpp), or in what nvcc makes of a program that checks its
// own results (programs/).
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

#include "simulator/decode/instruction_def.h"
#include "tests/simulator/truth/cases.h"
#include "tests/simulator/wgmma/cases.h"

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
  for (const char* folder : {"/engine", "/instructions"})
    for (const auto& file : std::filesystem::directory_iterator(std::string(LADDER_TEST_DATA) + folder)) {
      if (file.path().filename() == "coverage.cpp") continue;
      std::ifstream in(file.path());
      collect(std::string(std::istreambuf_iterator<char>(in), {}), all);
    }
  for (const auto& c : sim::truth::all_cases()) collect(c.body, all);
  for (const auto& c : sim::wgmma::all_cases()) collect(sim::wgmma::ptx_of(c), all);
  for (const auto& file : std::filesystem::directory_iterator(LADDER_TEST_MODULES "/programs")) {
    if (file.path().extension() != ".so") continue;
    std::ifstream in(file.path(), std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(in), {});
    for (std::size_t at = 0;
         (at = bytes.find("\n.target sm_", at)) != bytes.npos;) {  // PTX lies in them as text
      const std::size_t end = std::min(bytes.find('\0', at), bytes.size());
      collect(bytes.substr(at, end - at), all);
      at = end;
    }
  }
  return all;
}

std::string replaced(std::string pattern, char placeholder, const std::string& text) {
  for (std::size_t at = 0; (at = pattern.find(placeholder, at)) != pattern.npos; at += text.size())
    pattern.replace(at, 1, text);
  return pattern;
}

/// The patterns of a line of the table, one for each of its types.
std::vector<std::string> spellings_of(const InstructionInfo& info) {
  if (info.types.empty()) return {info.pattern};
  std::vector<std::string> all;
  std::istringstream types(info.types);
  for (std::string type; types >> type;) {
    const std::string bits = type.substr(type.find_first_of("0123456789"));
    all.push_back(replaced(replaced(info.pattern, '$', type), '%', bits));
  }
  return all;
}

/// Tests that put qualifiers together from parts, and the instructions they do it for.
struct Assembled {
  const char* file;
  std::set<std::string> opcodes;
};
const Assembled kAssembled[] = {{"engine/spellings.cpp",
                                 {"ld", "st", "atom", "bar", "barrier", "bra", "brx", "ret", "membar",
                                  "fence", "createpolicy", "cvta", "red", "cp"}},
                                {"instructions/texture.cpp", {"tex", "tld4"}},
                                {"instructions/surface.cpp", {"suld", "sust"}},
                                {"engine/barriers.cpp", {"mbarrier"}},
                                {"engine/mbarriers.cpp", {"mbarrier"}},
                                {"engine/bulk_directions.cpp", {"cp"}},
                                {"engine/tensor.cpp", {"cp"}},
                                {"engine/tensor_modes.cpp", {"cp"}}};

/// Whether one of those tests names the qualifier.
bool assembled(const std::string& opcode, const std::string& qualifier) {
  for (const Assembled& test : kAssembled) {
    if (!test.opcodes.contains(opcode)) continue;
    std::ifstream in(std::string(LADDER_TEST_DATA "/") + test.file);
    const std::string text(std::istreambuf_iterator<char>(in), {});
    for (const char before : {'.', '"'})
      for (const char behind : {'.', ',', '(', ')', '{', '}', '"', ' '})
        if (text.find(before + qualifier + behind) != text.npos) return true;
  }
  return false;
}

/// Qualifiers that a pattern offers, those in groups and those that stand alone.
std::set<std::string> offered(std::string_view pattern) {
  std::set<std::string> all;
  for (std::size_t at = pattern.find('.'); at != pattern.npos;) {
    const std::size_t end = std::min(pattern.find_first_of(".,{}()", at + 1), pattern.size());
    all.emplace(pattern.substr(at + 1, end - at - 1));
    at = pattern.find('.', end);
  }
  return all;
}

}  // namespace

TEST_CASE("every instruction form has a test") {
  const Spellings spellings = tested();
  int untested = 0;
  for (const InstructionInfo& info : supported_instructions()) {
    for (const std::string& pattern : spellings_of(info)) {
      const std::size_t end = std::min(pattern.find_first_of(".{("), pattern.size());
      const std::string opcode = pattern.substr(0, end);
      if (opcode.find('_') != opcode.npos && opcode[0] != '%')
        continue;  // made by the decoder, not by programs
      const auto known = spellings.find(opcode);
      const bool found = known != spellings.end() &&
                         std::any_of(known->second.begin(), known->second.end(), [&](const auto& qualifiers) {
                           return fits(std::string_view(pattern).substr(end), qualifiers);
                         });
      const std::set<std::string> parts = offered(std::string_view(pattern).substr(end));
      const bool made = std::all_of(parts.begin(), parts.end(),
                                    [&](const std::string& part) { return assembled(opcode, part); });
      if (found || made) continue;
      ++untested;
      WARN(info.family << ": " << pattern);
    }
  }
  CHECK(untested == 0);
}

TEST_CASE("every qualifier of every instruction form has a test") {
  const Spellings spellings = tested();
  int untested = 0;
  for (const InstructionInfo& info : supported_instructions()) {
    for (const std::string& pattern : spellings_of(info)) {
      const std::size_t end = std::min(pattern.find_first_of(".{("), pattern.size());
      const std::string opcode = pattern.substr(0, end);
      const auto known = spellings.find(opcode);
      if (known == spellings.end()) continue;
      const std::string_view rest = std::string_view(pattern).substr(end);
      std::set<std::string> missing = offered(rest);
      for (const auto& qualifiers : known->second) {
        if (!fits(rest, qualifiers)) continue;
        for (const std::string& q : qualifiers) missing.erase(q);
        // A star stands for a number, and whatever fits the pattern has one there.
        std::erase_if(missing, [](const std::string& q) { return q.find('*') != q.npos; });
      }
      for (const std::string& q : missing) {
        if (assembled(opcode, q)) continue;
        ++untested;
        WARN(pattern << " with ." << q);
      }
    }
  }
  CHECK(untested == 0);
}
