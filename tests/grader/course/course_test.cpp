#include "grader/course/course.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "grader/platform/failure.h"
#include "grader/platform/files.h"
#include "tests/grader/support/sample.h"

using namespace ladder::cli;
using Catch::Matchers::ContainsSubstring;

namespace {

std::string problem_of(const std::string& text,
                       const std::string& file = "lessons/09_reduction/lesson.toml") {
  try {
    parse_lesson(text, file);
  } catch (const CourseError& error) {
    return error.what();
  }
  return "read without a complaint";
}

}  // namespace

TEST_CASE("a lesson is read with its rungs in order") {
  const LessonInfo lesson = parse_lesson(sample::kLesson, "lessons/09_reduction/lesson.toml");
  CHECK(lesson.name == "09_reduction");
  CHECK(lesson.number == 9);
  CHECK(lesson.short_name == "reduction");
  CHECK(lesson.title == "Reduction");
  CHECK(lesson.prerequisites == std::vector<std::string>{"05_transpose"});
  REQUIRE(lesson.rungs.size() == 3);
  CHECK(lesson.rungs[0].idea == "serial");
  CHECK(lesson.rungs[1].hints.size() == 3);
  CHECK(lesson.rungs[1].points == 2.5);
  CHECK(lesson.rungs[2].number == 10);
  CHECK(lesson.rungs[2].compute_capability == "9.0");
  CHECK(lesson.id(lesson.rungs[2]) == "09.10");
}

TEST_CASE("a mistake in lesson.toml is named with its file and line") {
  CHECK_THAT(problem_of("title = \"x\"\nsummary = \n"), ContainsSubstring("lesson.toml:2: "));
  CHECK_THAT(problem_of("title = 7\n"),
             ContainsSubstring("lesson.toml:1: `title` must be a string in quotes"));
  CHECK_THAT(problem_of("title = \"x\"\npart = \"I\"\n"), ContainsSubstring("`summary` is missing"));
  const std::string head = "title = \"x\"\nsummary = \"y\"\npart = \"I\"\n";
  CHECK_THAT(problem_of(head), ContainsSubstring("no [[rung]]"));
  CHECK_THAT(problem_of(head + "[rung]\nname = \"1_a\"\n"),
             ContainsSubstring(":4: `rung` must be a list of tables"));
  CHECK_THAT(problem_of(head + "[[rung]]\nname = \"one\"\nsummary = \"s\"\n"),
             ContainsSubstring(":5: the rung's name `one`"));
  CHECK_THAT(problem_of(head + "[[rung]]\nname = \"1_a\"\nsummary = \"s\"\nhints = [\"a\", 3]\n"),
             ContainsSubstring(":7: `hints` must be a list of strings"));
  CHECK_THAT(problem_of(head + "[[rung]]\nname = \"1_a\"\nsummary = \"s\"\npoints = -1\n"),
             ContainsSubstring(":7: `points`"));
  CHECK_THAT(problem_of(head + "[[rung]]\nname = \"1_a\"\nsummary = \"s\"\ncompute_capability = \"sm_90\"\n"),
             ContainsSubstring(":7: `compute_capability` must look like"));
  CHECK_THAT(
      problem_of(head +
                 "[[rung]]\nname = \"1_a\"\nsummary = \"s\"\n[[rung]]\nname = \"1_b\"\nsummary = \"s\"\n"),
      ContainsSubstring(":7: two rungs have the number 1: `1_a` and `1_b`"));
  CHECK_THAT(problem_of(std::string(sample::kLesson), "lessons/reduction/lesson.toml"),
             ContainsSubstring("not of the form NN_name"));
}

TEST_CASE("a hint is a string of the rung, or a table that names its TODO") {
  const std::string head =
      "title = \"x\"\nsummary = \"y\"\npart = \"I\"\n[[rung]]\nname = \"1_a\"\nsummary = \"s\"\n";
  const LessonInfo lesson =
      parse_lesson(head + "hints = [\n  \"all of it\",\n  { todo = 2, text = \"the loop\" },\n]\n",
                   "lessons/09_reduction/lesson.toml");
  REQUIRE(lesson.rungs[0].hints.size() == 2);
  CHECK(lesson.rungs[0].hints[0].todo == 0);
  CHECK(lesson.rungs[0].hints[0].text == "all of it");
  CHECK(lesson.rungs[0].hints[1].todo == 2);
  CHECK(lesson.rungs[0].hints[1].text == "the loop");
  CHECK_THAT(problem_of(head + "hints = \"a\"\n"), ContainsSubstring(":7: `hints` must be a list"));
  CHECK_THAT(problem_of(head + "hints = [\n\"a\",\n{ todo = 1 }]\n"),
             ContainsSubstring(":9: `text` is missing"));
  CHECK_THAT(problem_of(head + "hints = [\n\"a\",\n{ text = \"b\" }]\n"),
             ContainsSubstring(":9: `todo` is missing"));
  CHECK_THAT(problem_of(head + "hints = [{ todo = 0, text = \"b\" }]\n"),
             ContainsSubstring(":7: `todo` must be a whole number above 0"));
}

TEST_CASE("a lesson says how hard it is and how long it takes, a rung why it is a detour") {
  const std::string head = "title = \"x\"\nsummary = \"y\"\npart = \"I\"\n";
  const std::string rung = "[[rung]]\nname = \"1_a\"\nsummary = \"s\"\n";
  const LessonInfo lesson = parse_lesson(
      head + "difficulty = \"hard\"\nminutes = 90\n" + rung + "detour = \"Slower, and needed.\"\n",
      "05_a/lesson.toml");
  CHECK(lesson.difficulty == "hard");
  CHECK(lesson.minutes == 90);
  CHECK(lesson.rungs[0].detour == "Slower, and needed.");
  const LessonInfo silent = parse_lesson(head + rung, "05_a/lesson.toml");
  CHECK(silent.difficulty.empty());
  CHECK(silent.minutes == 0);
  CHECK(silent.rungs[0].detour.empty());
  CHECK_THAT(problem_of(head + "difficulty = \"trivial\"\n" + rung),
             ContainsSubstring(":4: `difficulty` must be"));
  CHECK_THAT(problem_of(head + "difficulty = \"\"\n" + rung), ContainsSubstring(":4: `difficulty` must be"));
  for (const char* minutes : {"0", "-5", "1.5", "\"30\"", "999999999999"})
    CHECK_THAT(problem_of(head + "minutes = " + minutes + "\n" + rung),
               ContainsSubstring(":4: `minutes` must be a whole number above 0"));
  CHECK_THAT(problem_of(head + rung + "detour = \"\"\n"), ContainsSubstring(":7: `detour` is empty"));
}

TEST_CASE("an unknown key is remarked on, not refused") {
  std::vector<CourseProblem> remarks;
  parse_lesson(std::string(sample::kLesson) + "hint = \"one\"\n", "lessons/09_reduction/lesson.toml",
               &remarks);
  REQUIRE(remarks.size() == 1);
  CHECK_THAT(remarks[0].text(), ContainsSubstring("unknown key `hint`"));
}

TEST_CASE(
    "lessons are found by listing the folder, in the order of their numbers, and a broken one hides no "
    "other") {
  const sample::Tree tree;
  tree.add_lesson("09_reduction");
  write_file(tree.project.lessons() / "10_warp" / "lesson.toml", "title = 3\n");
  std::filesystem::create_directories(tree.project.lessons() / "11_empty");
  std::filesystem::create_directories(tree.project.lessons() / "notes");
  tree.add_lesson("01_vector_add");
  const Course course = load_course(tree.project);
  REQUIRE(course.lessons.size() == 2);
  CHECK(course.lessons[0].name == "01_vector_add");
  CHECK(course.lessons[1].name == "09_reduction");
  CHECK(course.lessons[1].solutions_folder == tree.project.solutions() / "09_reduction");
  REQUIRE(course.problems.size() == 2);
}
