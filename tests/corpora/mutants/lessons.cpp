// The grader's word on wrong kernels of the lessons: mistakes that learners make, run on the simulator.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>

#include "tests/corpora/mutants/mutant.h"
#include "tests/grader/judge/run_runner.h"

using namespace ladder;
using namespace ladder::test;
namespace fs = std::filesystem;

namespace {

std::vector<Mutant> mutants_of(const std::string& lesson) {
  std::vector<Mutant> mutants;
  for (const auto& entry : fs::directory_iterator(fs::path(LADDER_MUTANTS) / lesson))
    if (entry.path().extension() == ".toml") mutants.push_back(read_mutant(entry.path()));
  std::sort(mutants.begin(), mutants.end(), [](const Mutant& a, const Mutant& b) { return a.name < b.name; });
  return mutants;
}

/// @param all_cases  of the mutants those that want all cases, or those that want the quick ones
Output judge(const std::string& lesson, const std::vector<Mutant>& mutants, bool all_cases,
             const std::string& where = "") {
  const fs::path built = LADDER_MODULES;
  std::string arguments = where + "--check-only --cases " + (all_cases ? "all" : "quick") +
                          " --seed 1 --lesson " + (built / lesson / "lesson.so").string();
  for (const Mutant& mutant : mutants)
    if (mutant.all_cases == all_cases)
      arguments += " --rung " + mutant.module() + "=" +
                   (built / "tests" / "mutants" / lesson / (mutant.name + ".so")).string();
  return run_runner(LADDER_RUNNER, arguments);
}

/// The source line of the finding that leads a verdict.
std::string led_by(const Verdict& verdict) {
  for (const sim::Finding& finding : verdict.findings) {
    if (finding.severity != sim::Severity::error) continue;
    std::ifstream source(finding.file);
    std::string line;
    for (int number = 0; number < finding.line && std::getline(source, line);) ++number;
    return line;
  }
  return {};
}

std::vector<std::string> lessons() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(LADDER_MUTANTS))
    if (entry.is_directory()) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

TEST_CASE("every wrong kernel of a lesson is rejected for the right reason") {
  for (const std::string& lesson : lessons()) {
    DYNAMIC_SECTION(lesson) {
      const std::vector<Mutant> mutants = mutants_of(lesson);
      CHECK(mutants.size() >= 6);  // of the mistakes that learners make there
      const Output quick = judge(lesson, mutants, false);
      CHECK(quick.status == 0);
      const bool more =
          std::any_of(mutants.begin(), mutants.end(), [](const Mutant& m) { return m.all_cases; });
      const Output all = more ? judge(lesson, mutants, true) : Output{};
      CHECK((!more || all.status == 0));
      for (const Mutant& mutant : mutants) {
        INFO(lesson << ": " << mutant.module());
        const Output& output = mutant.all_cases ? all : quick;
        REQUIRE(output.verdicts.contains(mutant.module()));
        const std::string said = output.words(mutant.module());
        INFO(said);
        CHECK(to_string(output.verdicts.at(mutant.module()).outcome) == mutant.outcome);
        const Verdict& verdict = output.verdicts.at(mutant.module());
        if (!mutant.diagnosis.empty()) CHECK(verdict.diagnosis == mutant.diagnosis);
        if (!mutant.line.empty()) {
          const std::string line = led_by(verdict);
          INFO("the line: " << line);
          CHECK(line.find(mutant.line) != std::string::npos);
        }
        for (const std::string& words : mutant.words) {
          INFO("looked for: " << words);
          CHECK(said.find(words) != std::string::npos);
        }
      }
    }
  }
}

TEST_CASE("what the host has not waited for is told from another process, too") {
  const std::string lesson = "24_streams_and_overlap";
  std::vector<Mutant> mutants = mutants_of(lesson);
  std::erase_if(mutants, [](const Mutant& m) { return m.name != "waits_for_the_last_chunk"; });
  REQUIRE(mutants.size() == 1);
  const Output output = judge(lesson, mutants, false, "--apart ");
  const std::string said = output.words(mutants[0].module());
  INFO(said);
  CHECK(output.verdicts.at(mutants[0].module()).diagnosis == "race");
  CHECK(said.find("The call returned while cudaMemcpyAsync was under way") != std::string::npos);
}

TEST_CASE("a mutant whose place in the solution is gone or ambiguous is refused") {
  const Mutant mutant{.name = "no_guard",
                      .rung = "2_fused",
                      .outcome = "finding",
                      .diagnosis = "out-of-bounds",
                      .line = "",
                      .words = {},
                      .edits = {{"if (i < n) ", ""}}};
  CHECK(spoilt(mutant, "if (i < n) out[i] = 1;") == "out[i] = 1;");
  CHECK_THROWS_AS(spoilt(mutant, "if (i <= n) out[i] = 1;"), std::runtime_error);
  CHECK_THROWS_AS(spoilt(mutant, "if (i < n) a(); if (i < n) b();"), std::runtime_error);
}
