// Programs whose output on an H200 is kept beside them (tests/end_to_end/programs/*/h200.txt): under `ladder
// sim` they print the same.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdlib>
#include <map>
#include <sstream>

#include "grader/platform/files.h"
#include "tests/end_to_end/ladder_run.h"

using namespace ladder::cli;

namespace {

std::string folder(const std::string& name) {
  return std::string(LADDER_SOURCE_DIR) + "/tests/end_to_end/programs/" + name + "/";
}

/// What a folder's program prints under `ladder sim`.
/// @param options  further ones, for the compiler
std::string printed_by(const std::string& name, const std::string& options = "") {
  sample::Tree tree;
  tree.project.build = LADDER_BUILD_DIR;
  std::string text;
  const std::string line = "'" + end_to_end::ladder_binary() + "' sim '" + folder(name) +
                           "'*.cu --no-findings " + options + " 2>&1";
  const auto status = run_process({{"sh", "-c", line}, end_to_end::course_environment(tree)},
                                  [&](std::string_view said) { text.append(said).push_back('\n'); });
  CHECK(status.signal == 0);
  CHECK(status.code == 0);
  return text;
}

/// Lines by what stands before the last @p separator.
std::map<std::string, std::string> lines_of(const std::string& text, const std::string& separator) {
  std::map<std::string, std::string> all;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    const std::size_t at = line.rfind(separator);
    if (at != line.npos) all[line.substr(0, at)] = line.substr(at + separator.size());
  }
  return all;
}

/// "name CODE LAST" and "name = VALUE", by name.
std::map<std::string, std::string> answers_of(const std::string& text) {
  std::map<std::string, std::string> all;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (line.find(" died of signal ") != line.npos) continue;
    std::size_t at = line.rfind(' ');
    if (at != line.npos && line.find(" = ") == line.npos) at = line.rfind(' ', at - 1);
    if (at != line.npos) all[line.substr(0, at)] = line.substr(at + 1);
  }
  return all;
}

}  // namespace

TEST_CASE("calls that are wrong give the codes that an H200 gives") {
  const auto truth = answers_of(read_file(folder("misuse") + "h200.txt")),
             ours = answers_of(printed_by("misuse"));
  // Where ours is another on purpose, and why: "name: ANSWER, reason".
  const auto apart = lines_of(read_file(folder("misuse") + "differences.txt"), ": ");
  REQUIRE(truth.size() > 500);
  int wrong = 0;
  for (const auto& [name, answer] : truth) {
    const auto found = ours.find(name);
    const std::string got = found == ours.end() ? "nothing" : found->second;
    const auto known = apart.find(name);
    const std::string want = known == apart.end() ? answer : known->second.substr(0, known->second.find(','));
    if (got == want) continue;
    ++wrong;
    WARN(name << " gives " << got << ", not " << want);
  }
  CHECK(wrong == 0);
}

namespace {

/// How far a value may lie from the H200's. Reads of single texels are exact. Filters weigh in steps of
/// 1/256, and what rounding a product of weights has is not documented: one step of the texels' range. Levels
/// between two of a pyramid, whose texels are 100 apart, have steps of 1/256; from gradients the hardware
/// takes them by a formula of its own: a sixteenth.
double allowance(const std::string& name, const std::vector<double>& truth) {
  if (name.find("gradients") != name.npos && name.find("between levels linear") != name.npos)
    return 100 / 16.0;
  if (name.find("linear") == name.npos && name.find("mixed") == name.npos) return 0;
  const auto [least, most] = std::minmax_element(truth.begin(), truth.end());
  return (*most - *least) / 256;
}

std::vector<double> numbers_of(const std::string& text) {
  std::vector<double> all;
  std::istringstream in(text);
  for (std::string word; in >> word;) all.push_back(std::strtod(word.c_str(), nullptr));
  return all;
}

}  // namespace

TEST_CASE("textures and surfaces give what an H200 gives") {
  const auto truth = lines_of(read_file(folder("sampling") + "h200.txt"), ":"),
             ours = lines_of(printed_by("sampling"), ":");
  REQUIRE(truth.size() > 250);
  std::size_t values = 0, same = 0, wrong = 0;
  for (const auto& [name, text] : truth) {
    const auto found = ours.find(name);
    const std::vector<double> want = numbers_of(text),
                              got = found == ours.end() ? std::vector<double>{} : numbers_of(found->second);
    if (got.size() != want.size()) {
      ++wrong;
      WARN(name << " gives " << got.size() << " values, not " << want.size());
      continue;
    }
    const double may = allowance(name, want);
    for (std::size_t i = 0; i < want.size(); ++i) {
      const double off = std::fabs(got[i] - want[i]), digits = 3e-6 * std::max(1.0, std::fabs(want[i]));
      ++values;
      same += off <= digits;
      if (off <= std::max(may, digits)) continue;
      ++wrong;
      WARN(name << " value " << i << ": " << got[i] << ", not " << want[i]);
    }
  }
  CHECK(wrong == 0);
  CHECK(static_cast<double>(same) > 0.97 * static_cast<double>(values));
}

TEST_CASE("copies by tensor maps and launches of clusters give what an H200 gives") {
  const auto lines = [](const std::string& text) {  // "name = VALUE" and "name: BYTES", by name
    std::map<std::string, std::string> all;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
      const std::size_t equals = line.find(" = "), colon = line.find(": ");
      if (const std::size_t at = std::min(equals, colon); at != line.npos) all[line.substr(0, at)] = line;
    }
    return all;
  };
  const auto truth = lines(read_file(folder("tensor_copies") + "h200.txt")),
             ours = lines(printed_by("tensor_copies", "-arch=sm_90"));
  // Names that begin so are not compared, and why: "BEGINNING: reason".
  const auto open = lines_of(read_file(folder("tensor_copies") + "open.txt"), ": ");
  int compared = 0, wrong = 0;
  for (const auto& [name, line] : truth) {
    if (std::any_of(open.begin(), open.end(), [&](const auto& o) { return name.starts_with(o.first); }))
      continue;
    ++compared;
    const auto found = ours.find(name);
    if (found != ours.end() && found->second == line) continue;
    ++wrong;
    WARN((found == ours.end() ? "nothing" : found->second.substr(0, 200))
         << " where an H200 gives " << line.substr(0, 200));
  }
  CHECK(compared > 2860);
  CHECK(wrong == 0);
}
