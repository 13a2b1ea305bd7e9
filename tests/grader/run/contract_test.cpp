#include "grader/run/contract.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "grader/actions/doctor.h"
#include "tests/grader/support/sample.h"

using namespace ladder::cli;
using Catch::Matchers::ContainsSubstring;
namespace fs = std::filesystem;

namespace {

/// A lesson that keeps every rule; each test breaks one.
struct Fixture {
  sample::Tree tree;
  Fixture() {
    tree.add_lesson("05_transpose");
    tree.add_lesson("09_reduction");
    std::string toml(sample::kLesson);
    const std::string last = "compute_capability = \"9.0\"\n";
    toml.replace(toml.find(last), last.size(), last + "hints = [\"a\", \"b\"]\n");
    write_file(folder() / "lesson.toml", toml);
    write_file(folder() / "reduction.h", "");
    write_file(folder() / "reduction.cpp", "");
    write_file(folder() / "picture.svg", "<svg/>");
    write_file(folder() / "README.md", "# Reduction\n![a tree](picture.svg)\n");
  }
  fs::path folder() const { return tree.project.lessons() / "09_reduction"; }
  fs::path solutions() const { return tree.project.solutions() / "09_reduction"; }
  /// "file:line: what" of all violations, one a line.
  std::string found() const {
    const Course course = load_course(tree.project);
    std::string text;
    for (const Violation& violation : check_files(course.lessons.at(1), course)) {
      text += violation.file.filename().string() + ":" + std::to_string(violation.line) + ": " +
              violation.what + "\n";
      CHECK(!violation.remedy.empty());
    }
    return text;
  }
};

}  // namespace

TEST_CASE("a lesson that keeps the contract has no violations") { CHECK(Fixture().found().empty()); }

TEST_CASE("a skeleton that drifted is found at its first line that differs") {
  const Fixture f;
  std::string text = read_file(f.folder() / "1_serial.cu");
  text.insert(text.find("}"), "  // one more\n");
  write_file(f.folder() / "1_serial.cu", text);
  CHECK(f.found() == "1_serial.cu:7: the skeleton is not its solution minus the marked regions\n");
}

TEST_CASE("a hint for a TODO that the skeleton lacks is found") {
  const Fixture f;
  std::string toml = read_file(f.folder() / "lesson.toml");
  const std::string plain = "hints = [\"A loop.\", \"A loop over n.\"]";
  const auto with = [&](const std::string& hints) {
    std::string changed = toml;
    changed.replace(changed.find(plain), plain.size(), hints);
    write_file(f.folder() / "lesson.toml", changed);
  };
  with("hints = [\"A loop.\", { todo = 2, text = \"A loop over n.\" }]");
  CHECK(f.found().empty());
  with("hints = [\"A loop.\", { todo = 3, text = \"A loop over n.\" }]");
  CHECK_THAT(f.found(), ContainsSubstring("rung 1_serial has a hint for TODO(3), which its skeleton lacks"));
}

TEST_CASE("a lesson's files include their own folder's headers and common's, and no other lesson's") {
  const Fixture f;
  const fs::path root = f.tree.project.root;
  fs::create_directories(root / "common");
  write_file(root / "common" / "grid.h", "#pragma once\n");
  write_file(f.tree.project.lessons() / "05_transpose" / "tile.h", "#pragma once\n");
  write_file(
      f.folder() / "reduction.h",
      "#include <cstddef>\n#include <cuda/atomic>\n#include \"common/grid.h\"\n#include \"reduction.h\"\n");
  CHECK(f.found().empty());
  write_file(f.folder() / "reduction.h", "\n#include \"lessons/05_transpose/tile.h\"\n");
  CHECK(f.found() ==
        "reduction.h:2: lessons/05_transpose/tile.h is neither in 09_reduction's folder nor in common/\n");
  write_file(f.folder() / "reduction.h", "#include \"common/grid.h\"\n");
  write_file(root / "common" / "grid.h", "#  include <../lessons/05_transpose/tile.h>\n");
  CHECK(f.found().starts_with("grid.h:1: ../lessons/05_transpose/tile.h is neither"));
}

TEST_CASE("a skeleton that differs in white space alone has drifted too") {
  const Fixture f;
  write_file(f.folder() / "1_serial.cu", read_file(f.folder() / "1_serial.cu") + "\n");
  CHECK_THAT(f.found(), ContainsSubstring("the skeleton is not its solution minus the marked regions"));
}

TEST_CASE("missing and stray files are found") {
  const Fixture f;
  fs::remove(f.folder() / "1_serial.cu");
  fs::remove(f.solutions() / "3_interleaved.cu");
  fs::remove(f.folder() / "reduction.h");
  write_file(f.folder() / "4_new.cu", "");
  const std::string found = f.found();
  CHECK_THAT(found, ContainsSubstring("1_serial.cu:0: the skeleton is missing"));
  CHECK_THAT(found, ContainsSubstring("3_interleaved.cu:0: the solution is missing"));
  CHECK_THAT(found, ContainsSubstring("reduction.h:0: the contract header is missing"));
  CHECK_THAT(found, ContainsSubstring("4_new.cu:0: lesson.toml describes no such rung"));
}

TEST_CASE("a region without its task, a broken marker and a rung with nothing to do are found") {
  const Fixture f;
  const auto put = [&](const char* rung, const std::string& solution) {
    write_file(f.solutions() / rung, solution);
    write_file(f.folder() / rung, make_skeleton(solution).text);
  };
  put("1_serial.cu", "int a;\n// BEGIN SOLUTION\nint b;\n// END SOLUTION\n");
  put("3_interleaved.cu", "// TODO(1): x\n// BEGIN SOLUTION\nint b;\n");
  put("10_warp_shuffle.cu", "int a;\n");
  const std::string found = f.found();
  CHECK_THAT(found, ContainsSubstring("1_serial.cu:2: no TODO(n) stands right above this region"));
  CHECK_THAT(found, ContainsSubstring("3_interleaved.cu:2: BEGIN SOLUTION without an END SOLUTION below it"));
  CHECK_THAT(found, ContainsSubstring("10_warp_shuffle.cu:0: nothing is left for the student to do"));
}

TEST_CASE("one hint, no picture, a picture that is not there and an unknown prerequisite are found") {
  const Fixture f;
  write_file(f.folder() / "lesson.toml", sample::kLesson);
  CHECK_THAT(f.found(), ContainsSubstring("rung 10_warp_shuffle has 0 hints"));
  write_file(f.folder() / "README.md", "# Reduction\n");
  CHECK_THAT(f.found(), ContainsSubstring("the README shows no picture"));
  write_file(f.folder() / "README.md", "![x](gone.svg)\n");
  CHECK_THAT(f.found(), ContainsSubstring("the picture gone.svg is not there"));
  fs::remove_all(f.tree.project.lessons() / "05_transpose");
  const Course course = load_course(f.tree.project);
  bool told = false;
  for (const Violation& v : check_files(course.lessons.at(0), course))
    told = told || v.what == "the prerequisite 05_transpose is no lesson of this course";
  CHECK(told);
}

TEST_CASE("versions are compared number by number") {
  CHECK(first_version("cmake version 3.25.1\n") == "3.25.1");
  CHECK(first_version("no numbers") == "");
  CHECK(at_least("3.25.1", "3.25"));
  CHECK(at_least("13.0", "12.9"));
  CHECK(!at_least("3.9", "3.25"));
  CHECK(!at_least("", "1.0"));
}
