// The grader's word on wrong kernels of the lessons: mistakes that learners make, run on the simulator.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>

#include "tests/harness/run_runner.h"
#include "tests/mutants/mutant.h"

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

Output judge(const std::string& lesson, const std::vector<Mutant>& mutants) {
  const fs::path built = LADDER_MODULES;
  std::string arguments =
      "--check-only --cases quick --seed 1 --lesson " + (built / lesson / "lesson.so").string();
  for (const Mutant& mutant : mutants)
    arguments += " --rung " + mutant.module() + "=" +
                 (built / "tests" / "mutants" / lesson / (mutant.name + ".so")).string();
  return run_runner(LADDER_RUNNER, arguments);
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
      const Output output = judge(lesson, mutants);
      CHECK(output.status == 0);
      for (const Mutant& mutant : mutants) {
        INFO(lesson << ": " << mutant.module());
        REQUIRE(output.verdicts.contains(mutant.module()));
        const std::string said = output.words(mutant.module());
        INFO(said);
        CHECK(to_string(output.verdicts.at(mutant.module()).outcome) == mutant.outcome);
        for (const std::string& words : mutant.words) {
          INFO("looked for: " << words);
          CHECK(said.find(words) != std::string::npos);
        }
      }
    }
  }
}

TEST_CASE("a mutant whose place in the solution is gone or ambiguous is refused") {
  const Mutant mutant{"no_guard", "2_fused", "finding", {"out-of-bounds"}, {{"if (i < n) ", ""}}};
  CHECK(spoilt(mutant, "if (i < n) out[i] = 1;") == "out[i] = 1;");
  CHECK_THROWS_AS(spoilt(mutant, "if (i <= n) out[i] = 1;"), std::runtime_error);
  CHECK_THROWS_AS(spoilt(mutant, "if (i < n) a(); if (i < n) b();"), std::runtime_error);
}
