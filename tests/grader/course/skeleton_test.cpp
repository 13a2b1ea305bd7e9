#include "grader/course/text/skeleton.h"

#include <catch2/catch_test_macros.hpp>

#include "grader/course/text/text_diff.h"
#include "grader/platform/files.h"
#include "tests/grader/support/sample.h"

using namespace ladder::cli;

TEST_CASE("a skeleton is its solution without the regions, byte for byte") {
  const Skeleton skeleton = make_skeleton(
      "a\r\n  // BEGIN SOLUTION\r\nx\r\n  // END SOLUTION\r\n\tb  \n// BEGIN SOLUTION\ny\n// END "
      "SOLUTION\nlast");
  CHECK(skeleton.problems.empty());
  CHECK(skeleton.regions == 2);
  CHECK(skeleton.text == "a\r\n\tb  \nlast");
}

TEST_CASE("text without regions is its own skeleton") {
  CHECK(make_skeleton("int main() {}\n").text == "int main() {}\n");
  CHECK(make_skeleton("").regions == 0);
}

TEST_CASE("markers that do not pair up are errors at their lines") {
  const auto first = [](std::string_view text) {
    const Skeleton skeleton = make_skeleton(text);
    return skeleton.problems.empty() ? 0 : skeleton.problems.front().line;
  };
  CHECK(first("a\n// END SOLUTION\n") == 2);
  CHECK(first("a\nb\n// BEGIN SOLUTION\nc\n") == 3);
  CHECK(first("// BEGIN SOLUTION\n// BEGIN SOLUTION\n// END SOLUTION\n") == 2);
  CHECK(first("// BEGIN SOLUTION: here\nx\n// END SOLUTION\n") == 1);
  CHECK(first("//BEGIN SOLUTION\n") == 1);
  CHECK(first("x = 1;  // BEGIN SOLUTION\n") == 1);
  CHECK(first("// END SOLUTION (1)\n") == 1);
}

TEST_CASE("the solution reads without its markers") {
  CHECK(without_markers("a\n// BEGIN SOLUTION\nb\n// END SOLUTION\nc\n") == "a\nb\nc\n");
}

TEST_CASE("a source without its TODO comments keeps its code and its other comments") {
  CHECK(without_todos("a\n  // TODO(1): do it,\n  //          all of it.\nb\n// why\nc\n") ==
        "a\nb\n// why\nc\n");
  CHECK(without_todos("int TODO = 1;  // TODO(2): no line of its own\n") ==
        "int TODO = 1;  // TODO(2): no line of its own\n");
}

TEST_CASE("tasks are found with their whole text") {
  const std::vector<Todo> todos = find_todos(sample::kSolution);
  REQUIRE(todos.size() == 2);
  CHECK(todos[0].number == 1);
  CHECK(todos[0].line == 3);
  CHECK(todos[0].last_line == 4);
  CHECK(todos[0].text == "add every element into a register (2 lines).");
  CHECK(todos[1].line == 10);
}

TEST_CASE("every task of an untouched skeleton is open") {
  const std::string skeleton = make_skeleton(sample::kSolution).text;
  CHECK(open_todos(skeleton, skeleton).size() == 2);
}

TEST_CASE("a task is no longer open when code stands below it or its comment is gone") {
  const std::string skeleton = make_skeleton(sample::kSolution).text;
  std::string filled = skeleton;
  filled.insert(filled.find("\n  // TODO(2)"), "  float sum = 0;\n");
  const std::vector<Todo> open = open_todos(skeleton, filled);
  REQUIRE(open.size() == 1);
  CHECK(open[0].number == 2);
  CHECK(open[0].line == 7);  // in the student's file, one line further down

  std::string cut = skeleton;
  const std::size_t second = cut.find("  // TODO(2)");
  cut.replace(second, cut.find('\n', second) - second, "  *out = sum;");
  REQUIRE(open_todos(skeleton, cut).size() == 1);
  CHECK(open_todos(skeleton, cut)[0].number == 1);
  CHECK(open_todos(skeleton, without_markers(sample::kSolution)).empty());
}

TEST_CASE("an edit elsewhere leaves a task open") {
  const std::string skeleton = make_skeleton(sample::kSolution).text;
  CHECK(open_todos(skeleton, "#include <cstdio>\n" + skeleton + "// the end\n").size() == 2);
}

TEST_CASE("a difference is the shortest one, and its hunks carry git's numbers") {
  const auto diff = diff_lines({"a", "b", "c", "d", "e", "f", "g", "h", "i"},
                               {"a", "B", "c", "d", "e", "f", "g", "h", "i", "j"});
  const std::vector<DiffHunk> all = hunks(diff, 2);
  REQUIRE(all.size() == 2);
  CHECK(all[0].old_start == 1);
  CHECK(all[0].old_count == 4);
  CHECK(all[0].new_count == 4);
  CHECK(all[1].old_start == 8);
  CHECK(all[1].old_count == 2);
  CHECK(all[1].new_start == 8);
  CHECK(all[1].new_count == 3);
  CHECK(hunks(diff_lines({"x"}, {"x"})).empty());
  const std::vector<DiffHunk> added = hunks(diff_lines({}, {"x"}));
  REQUIRE(added.size() == 1);
  CHECK(added[0].old_start == 0);
  CHECK(added[0].new_start == 1);
}
