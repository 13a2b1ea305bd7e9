// The grader's word on wrong kernels of the lessons: mistakes that learners make, run on the simulator.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>
#include <map>

#include "grader/course/course.h"
#include "grader/hunt/mutant.h"
#include "grader/idea/evaluate.h"
#include "grader/platform/files.h"
#include "tests/grader/judge/run_runner.h"

using namespace ladder;
using namespace ladder::hunt;
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

/// With which cases a mutant is run.
enum class Cases { quick, all, timed };
Cases cases_of(const Mutant& mutant) {
  return mutant.timed ? Cases::timed : mutant.all_cases ? Cases::all : Cases::quick;
}

/// Runs those of the mutants that want these cases; without any, the result is empty.
Output judge(const std::string& lesson, const std::vector<Mutant>& mutants, Cases cases,
             const std::string& where = "", const std::string& runner = LADDER_RUNNER) {
  Output none;
  none.status = 0;
  if (std::none_of(mutants.begin(), mutants.end(), [&](const Mutant& m) { return cases_of(m) == cases; }))
    return none;
  const fs::path built = LADDER_MODULES;
  std::string arguments = where + (cases == Cases::timed ? "" : "--check-only ") + "--cases " +
                          (cases == Cases::all ? "all" : "quick") + " --seed 1 --lesson " +
                          (built / lesson / "lesson.so").string();
  for (const Mutant& mutant : mutants)
    if (cases_of(mutant) == cases)
      arguments += " --rung " + mutant.module() + "=" +
                   (built / "tests" / "mutants" / lesson / (mutant.name + ".so")).string();
  return run_runner(runner, arguments);
}

std::string line_of(const std::string& file, int wanted) {
  std::ifstream source(file);
  std::string line;
  for (int number = 0; number < wanted && std::getline(source, line);) ++number;
  return line;
}

/// The source lines of the finding that leads a verdict, or that the missing idea is about. Which of a race's
/// two accesses comes second, and is where it is found, the case and the schedule say.
std::string led_by(const Verdict& verdict) {
  if (verdict.idea && verdict.idea->line > 0) return line_of(verdict.idea->file, verdict.idea->line);
  for (const sim::Finding& finding : verdict.findings)
    if (finding.severity == sim::Severity::error) {
      const std::string line = line_of(finding.file, finding.line);
      return finding.other ? line + '\n' + line_of(finding.other->file, finding.other->line) : line;
    }
  return {};
}

/// A verdict, once the idea of the mutant's rung has been looked at.
Verdict with_idea(const std::string& lesson, const Mutant& mutant, Verdict verdict) {
  static std::map<std::string, cli::LessonInfo> known;
  const auto [at, fresh] = known.try_emplace(lesson);
  if (fresh) {
    const fs::path file = fs::path(LADDER_SOURCE_DIR) / "lessons" / lesson / "lesson.toml";
    at->second = cli::parse_lesson(cli::read_file(file), file);
  }
  for (const cli::RungInfo& rung : at->second.rungs)
    if (rung.name == mutant.rung) idea::judge(rung.how, rung.number, verdict);
  return verdict;
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
      std::map<Cases, Output> outputs;
      for (const Cases cases : {Cases::quick, Cases::all, Cases::timed}) {
        outputs[cases] = judge(lesson, mutants, cases);
        CHECK(outputs[cases].status == 0);
      }
      for (const Mutant& mutant : mutants) {
        INFO(lesson << ": " << mutant.module());
        const Output& output = outputs[cases_of(mutant)];
        REQUIRE(output.verdicts.contains(mutant.module()));
        const Verdict verdict = with_idea(lesson, mutant, output.verdicts.at(mutant.module()));
        const std::string said = verdict.idea ? verdict.headline : output.words(mutant.module());
        INFO(said);
        CHECK(to_string(verdict.outcome) == mutant.outcome);
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
  const Output output = judge(lesson, mutants, Cases::quick, "--apart ");
  const std::string said = output.words(mutants[0].module());
  INFO(said);
  CHECK(output.verdicts.at(mutants[0].module()).diagnosis == "race");
  CHECK(said.find("The call returned while cudaMemcpyAsync was under way") != std::string::npos);
}

TEST_CASE("what a first build's simulator lacks is left to the whole one, and the rest judged as by that") {
  std::vector<Mutant> mutants = mutants_of("16_gelu");
  std::erase_if(mutants, [](const Mutant& m) { return m.rung != "2_fused" && m.rung != "5_half2"; });
  const Output whole = judge("16_gelu", mutants, Cases::quick);
  const Output first = judge("16_gelu", mutants, Cases::quick, "", LADDER_FIRST_RUNNER);
  std::size_t left = 0, judged = 0;
  for (const Mutant& mutant : mutants) {
    if (cases_of(mutant) != Cases::quick) continue;
    INFO(mutant.module() << ": " << first.words(mutant.module()));
    const Verdict &own = first.verdicts.at(mutant.module()), &other = whole.verdicts.at(mutant.module());
    const bool is_left = own.outcome == Outcome::not_run;
    (is_left ? left : judged) += 1;
    CHECK((is_left || mutant.rung != "5_half2"));
    if (!is_left) CHECK(own.headline == other.headline);
  }
  CHECK(left > 0);
  CHECK(judged > 0);
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
