#include "grader/run/check_ideas.h"

#include <fmt/format.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "tests/grader/support/fakes.h"

using namespace ladder;
using namespace ladder::cli;
using Catch::Matchers::ContainsSubstring;

namespace {

const std::string kOneLaunch =
    "[[rung.idea]]\nmetric = \"launches\"\nat_most = 1\nsays = \"{value} launches\"\n";

/// Two rungs, the second with an idea or with what stands in for one.
LessonInfo lesson_of(const std::string& idea) {
  return parse_lesson(
      "title = \"t\"\nsummary = \"s\"\npart = \"p\"\n[[rung]]\nname = \"1_a\"\nsummary = \"a\"\n"
      "[[rung]]\nname = \"2_b\"\nsummary = \"b\"\n" +
          idea,
      "lessons/09_reduction/lesson.toml");
}

RungResult ran(const RungInfo& rung, std::size_t launches, const std::string& size = "n=7") {
  RungResult result;
  result.rung = &rung;
  result.verdict.rung = rung.name;
  result.verdict.outcome = Outcome::passed;
  result.verdict.timing = Timing{};
  result.verdict.timing->modelled = true;
  result.verdict.timing->size = size;
  result.verdict.kernels.resize(launches);
  return result;
}

std::string found(const LessonInfo& lesson, std::size_t launches_below, std::size_t launches = 1) {
  const sample::Tree tree;
  const Terminal terminal;
  TransientLine progress(terminal);
  LessonRunResult solutions;
  solutions.rungs = {ran(lesson.rungs[0], launches_below), ran(lesson.rungs[1], launches)};
  std::string text;
  for (const Violation& violation : check_ideas(tree.project, lesson, solutions, true, progress))
    text += fmt::format("{}: {}\n", violation.line, violation.what);
  return text;
}

Course course_of(int rungs, int unobserved) {
  Course course;
  std::string text = "title = \"t\"\nsummary = \"s\"\npart = \"p\"\n";
  for (int i = 1; i <= rungs; ++i)
    text += fmt::format("[[rung]]\nname = \"{}_a\"\nsummary = \"a\"\n{}", i,
                        i <= unobserved ? "idea_unobserved = \"because\"\n" : "");
  course.lessons.push_back(parse_lesson(text, "lessons/09_reduction/lesson.toml"));
  return course;
}

}  // namespace

TEST_CASE("a rung whose idea the rung below meets as well breaks the contract") {
  CHECK(found(lesson_of(kOneLaunch), 2).empty());
  CHECK(found(lesson_of(kOneLaunch), 1) == "7: the solution of 1_a, handed in as 2_b, passes\n");
  CHECK(found(lesson_of("idea_unobserved = \"nothing that is counted differs\"\n"), 1).empty());
  CHECK(
      found(lesson_of("idea_unobserved = \"the rung below is one launch, too\"\n" + kOneLaunch), 1).empty());
}

TEST_CASE("a rung that is told from the rung below by little says why, or breaks the contract") {
  const std::string many =
      "[[rung.idea]]\nmetric = \"launches\"\nat_most = 20\nsays = \"{value} launches\"\n";
  CHECK(found(lesson_of(many), 24, 20).empty());  // it is meant to be 20
  CHECK(found(lesson_of(many), 21, 20) ==
        "7: the idea of 2_b: the solution of 1_a has launches 21, 5 % from the bound\n");
  CHECK(found(lesson_of(many), 24, 19) ==
        "7: the idea of 2_b: the solution of 2_b has launches 19, 5 % from the bound\n");
  CHECK(found(lesson_of(many + "close = \"one launch a row\"\n"), 21, 19).empty());
}

TEST_CASE("a rung without an idea to look at is one that the rung below fails as") {
  const LessonInfo lesson = lesson_of("");
  const sample::Tree tree;
  add_runner(tree, "case \"$*\" in *2_b=*1_a*) ;; *) exit 9 ;; esac\n" + sample::verdict("2_b", "passed") +
                       sample::kDone);
  const Terminal terminal;
  TransientLine progress(terminal);
  LessonRunResult solutions;
  solutions.rungs = {ran(lesson.rungs[0], 1), ran(lesson.rungs[1], 1)};
  const auto violations = check_ideas(tree.project, lesson, solutions, true, progress);
  REQUIRE(violations.size() == 1);
  CHECK(violations[0].what == "the solution of 1_a, handed in as 2_b, passes");
  CHECK_THAT(violations[0].remedy, ContainsSubstring("[[rung.idea]]"));
}

TEST_CASE("at most 8 % of a course's rungs may have an idea that nothing observes") {
  CHECK(check_unobserved(course_of(100, 8)).empty());
  const auto violations = check_unobserved(course_of(100, 9));
  REQUIRE(violations.size() == 1);
  CHECK(violations[0].what == "9 of 100 rungs have an idea that nothing observes; 8 % may");
}

TEST_CASE("the course keeps to that") {
  Project project;
  project.root = LADDER_SOURCE_DIR;
  const Course course = load_course(project);
  REQUIRE(course.lessons.size() >= 25);
  for (const Violation& violation : check_unobserved(course)) FAIL(violation.what);
}
