#include "grader/hunt/exercise.h"

#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <set>
#include <string>

#include "grader/hunt/hunt_log.h"
#include "grader/platform/failure.h"
#include "grader/platform/files.h"
#include "tests/grader/support/sample.h"

using namespace ladder::hunt;
namespace cli = ladder::cli;
namespace fs = std::filesystem;

namespace {

/// A course with one exercise, whose file and edits a test writes.
struct HuntFixture {
  sample::Tree tree;
  cli::Course course;

  HuntFixture() {
    tree.add_lesson("09_reduction");
    course = cli::load_course(tree.project);
  }
  void exercise(const std::string& solution, const std::string& edits, const std::string& more = "") {
    cli::write_file(tree.project.solutions() / "09_reduction" / "1_serial.cu", solution);
    cli::write_file(tree.project.root / "tests/corpora/mutants/lessons/09_reduction/wrong.toml",
                    "rung = \"1_serial\"\noutcome = \"wrong_values\"\nwords = [\"wrong\"]\n" + more + edits +
                        "[hunt]\nkind = \"coverage\"\nlearn = \"All of it.\"\nhint = \"The loop.\"\n");
  }
  Handout handout() const { return hand_out(load_exercises(tree.project, course).at(0)); }
};

std::string edit(const std::string& find, const std::string& put) {
  return "[[edit]]\nfind = '''" + find + "'''\nput = '''" + put + "'''\n";
}

}  // namespace

TEST_CASE("a source without comments has its code, its texts and one empty line where there were several") {
  CHECK(without_comments("// A rung.\n#include \"a.h\"\n\n// what\n\nint a;  // why\n") ==
        "#include \"a.h\"\n\nint a;\n");
  CHECK(without_comments("int a /* here */ = 1'000;  // so\nchar c = '\"'; // \"\n") ==
        "int a  = 1'000;\nchar c = '\"';\n");
  CHECK(without_comments("puts(\"// no comment\");\n") == "puts(\"// no comment\");\n");
  CHECK(without_comments("  /* over\n  lines */ int a;\n") == "   int a;\n");
  CHECK(without_comments("int a;\n  // BEGIN SOLUTION\n  int b;\n  // END SOLUTION\n}\n") ==
        "int a;\n  int b;\n}\n");
}

TEST_CASE("of a changed line that line is wrong, of a missing one its neighbours") {
  HuntFixture f;
  const std::string solution =
      "// One.\nvoid k() {\n  // all\n  for (int i = 0; i < n; ++i) add(i);\n\n  wait();  // for all\n  "
      "store();\n}\n";
  f.exercise(solution, edit("i < n;", "i + 1 < n;"));
  Handout handout = f.handout();
  CHECK(handout.text ==
        "void k() {\n  for (int i = 0; i + 1 < n; ++i) add(i);\n\n  wait();\n  store();\n}\n");
  CHECK(handout.lines == std::vector<int>{2});

  f.exercise(solution, edit("  wait();  // for all\n", ""));
  handout = f.handout();
  CHECK(handout.text == "void k() {\n  for (int i = 0; i < n; ++i) add(i);\n\n  store();\n}\n");
  CHECK(handout.lines == std::vector<int>{3, 4, 5});

  f.exercise(solution, edit("  wait();  // for all\n", ""), "line = \"store()\"\noutcome_was = 1\n");
  CHECK_THROWS_AS(f.handout(), cli::Failure);  // a key that nobody knows
}

TEST_CASE("the line that the grader names is right as well") {
  HuntFixture f;
  f.exercise("a();\nwait();\nb();\nc();\n", edit("wait();\n", ""));
  cli::write_file(f.tree.project.root / "tests/corpora/mutants/lessons/09_reduction/wrong.toml",
                  "rung = \"1_serial\"\noutcome = \"finding\"\ndiagnosis = \"race\"\nline = \"c();\"\n" +
                      edit("wait();\n", "") +
                      "[hunt]\nkind = \"race\"\nlearn = \"Wait.\"\nhint = \"Order.\"\n");
  CHECK(f.handout().lines == std::vector<int>{1, 2, 3});
}

TEST_CASE("what was found and mended is remembered, and a broken record is kept") {
  HuntFixture f;
  f.exercise("a();\n", edit("a()", "b()"));
  const auto exercises = load_exercises(f.tree.project, f.course);
  const Exercise& one = find_exercise(exercises, "09." + exercises.at(0).number);
  CHECK_THROWS_AS(find_exercise(exercises, "09.h0000"), cli::Failure);
  CHECK(!HuntLog(f.tree.project).of(one).found);
  HuntLog(f.tree.project).note(one, {true, false, 2});
  CHECK(HuntLog(f.tree.project).of(one).found);
  CHECK(HuntLog(f.tree.project).of(one).guesses == 2);
  cli::write_file(f.tree.project.state() / "hunts.json", "{ broken");
  HuntLog log(f.tree.project);
  CHECK(!log.of(one).found);
  log.note(one, {false, true, 0});
  CHECK(cli::read_file(f.tree.project.state() / "hunts.1.json") == "{ broken");
  CHECK(HuntLog(f.tree.project).of(one).mended);
}

TEST_CASE("every exercise of the course can be handed out, and none gives itself away") {
  cli::Project project;
  project.root = LADDER_SOURCE_DIR;
  const cli::Course course = cli::load_course(project);
  std::set<std::string> ids;
  for (const Exercise& exercise : load_exercises(project, course)) {
    INFO(exercise.id() << ": " << exercise.mutant.module());
    CHECK(ids.insert(exercise.id()).second);
    CHECK(!exercise.what().learn.empty());
    CHECK(!exercise.what().hint.empty());
    const Handout handout = hand_out(exercise);
    const std::string whole =
        without_comments(cli::read_file(exercise.lesson->solution_file(*exercise.rung)));
    CHECK(handout.text != whole);
    CHECK(handout.text.find("SOLUTION") == std::string::npos);
    CHECK(handout.text.find("TODO") == std::string::npos);
    CHECK(!handout.lines.empty());
    CHECK(handout.text.find(exercise.mutant.name) == std::string::npos);
  }
  CHECK(ids.size() >= 120);
}
