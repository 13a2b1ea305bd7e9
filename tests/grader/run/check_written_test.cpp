#include "grader/run/check_written.h"

#include <fmt/format.h>

#include <catch2/catch_test_macros.hpp>

#include "tests/grader/support/sample.h"

using namespace ladder;
using namespace ladder::cli;

namespace {

/// A course of one lesson; of each rung the solution has so many lines of the student's, and twelve others.
std::string found(const std::vector<int>& lines, const std::string& few_lines = "") {
  const sample::Tree tree;
  std::string toml = "title = \"t\"\nsummary = \"s\"\npart = \"p\"\n", text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    toml += fmt::format("[[rung]]\nname = \"{}_a\"\nsummary = \"a\"\n{}", i + 1, few_lines);
    std::string solution = "// Rung.\n\n// BEGIN SOLUTION\n  // a comment\n";
    for (int k = 0; k < lines[i]; ++k) solution += "  int a;  // of the student's\n";
    solution += "  // END SOLUTION\n";
    for (int k = 0; k < 12; ++k) solution += "int b;\n\n";
    write_file(tree.project.solutions() / "09_reduction" / fmt::format("{}_a.cu", i + 1), solution);
  }
  write_file(tree.project.lessons() / "09_reduction" / "lesson.toml", toml);
  for (const Violation& violation : check_written(load_course(tree.project)))
    text += fmt::format("{}: {}\n", violation.line, violation.what);
  return text;
}

}  // namespace

TEST_CASE("lines of code are neither blank nor comments, and a student's stand between the markers") {
  const LinesOfCode lines = lines_of_code(
      "// Rung 1.\n#include \"a.h\"\n\n// TODO(1): x\n  // BEGIN SOLUTION\n  a();  // why\n  // so\n\n  "
      "b();\n"
      "  // END SOLUTION\nc();\n");
  CHECK(lines.all == 4);
  CHECK(lines.students == 2);
}

TEST_CASE("students write a quarter of the lines, eight in the median rung, and three at least in each") {
  CHECK(found({8, 8, 20}).empty());
  CHECK(found({2, 8, 20}) == "4: of 1_a a student writes 2 lines\n");
  CHECK(found({2, 8, 20}, "few_lines = \"it is one expression\"\n").empty());
  CHECK(found({7, 7, 20}) == "0: of the median rung a student writes 7 lines; 8 are wanted\n");
  CHECK(found({3, 4, 4}) ==
        "0: students write 23.4 % of the solutions' lines; 25 % are wanted\n"
        "0: of the median rung a student writes 4 lines; 8 are wanted\n");
}

TEST_CASE("the course leaves as much to its students") {
  Project project;
  project.root = LADDER_SOURCE_DIR;
  const Course course = load_course(project);
  REQUIRE(course.lessons.size() >= 25);
  for (const Violation& violation : check_written(course)) FAIL_CHECK(violation.what);
}
