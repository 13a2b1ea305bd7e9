#include "grader/course/names.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "grader/platform/failure.h"
#include "tests/grader/support/sample.h"

using namespace ladder::cli;
using Catch::Matchers::ContainsSubstring;

namespace {

struct NamesFixture {
  sample::Tree tree;
  Course course;
  NamesFixture() {
    tree.add_lesson("09_reduction");
    tree.add_lesson("05_transpose");
    course = load_course(tree.project);
  }
  std::string rung(std::string_view text) const {
    const Selection found = find_selection(course, text);
    return found.one_rung ? found.lesson->name + "/" + found.rungs.front()->name : found.lesson->name;
  }
  std::string complaint(std::string_view text) const {
    try {
      return "found " + rung(text);
    } catch (const Failure& failure) {
      CHECK(failure.code() == ExitCode::usage);
      return std::string(failure.what()) + "\n" + failure.advice();
    }
  }
};

}  // namespace

TEST_CASE("a lesson goes by number, name, folder or the start of its name") {
  const NamesFixture f;
  for (const char* text :
       {"9", "09", "reduction", "09_reduction", "redu", "lessons/09_reduction", "./lessons/09_reduction/"})
    CHECK(f.rung(text) == "09_reduction");
  CHECK(find_selection(f.course, "9").rungs.size() == 3);
}

TEST_CASE("a rung goes by number, name, idea or the path to its file") {
  const NamesFixture f;
  for (const char* text :
       {"9.3", "09.3", "reduction.3", "reduction.3_interleaved", "09_reduction.interleaved", "9.interleaved",
        "09/3", "09_reduction/3_interleaved", "lessons/09_reduction/3_interleaved.cu",
        "/somewhere/solutions/09_reduction/3_interleaved.cu"})
    CHECK(f.rung(text) == "09_reduction/3_interleaved");
  CHECK(f.rung("9.10") == "09_reduction/10_warp_shuffle");
}

TEST_CASE("a rung's name alone is enough only where one lesson has it") {
  sample::Tree tree;
  tree.add_lesson("09_reduction");
  const Course course = load_course(tree.project);
  CHECK(find_rung(course, "3_interleaved").rungs.front()->number == 3);
  const NamesFixture two_lessons;
  CHECK_THAT(two_lessons.complaint("3_interleaved"), ContainsSubstring("no lesson is called"));
}

TEST_CASE("a mistyped name is answered with the nearest ones") {
  const NamesFixture f;
  CHECK_THAT(f.complaint("redcution"), ContainsSubstring("Did you mean reduction?"));
  CHECK_THAT(f.complaint("09_reductoin"), ContainsSubstring("Did you mean 09_reduction?"));
  CHECK_THAT(f.complaint("9.interleved"), ContainsSubstring("Did you mean 09.interleaved?"));
  CHECK_THAT(f.complaint("interleavd"), ContainsSubstring("09.3 interleaved"));
  CHECK_THAT(f.complaint("9.7"),
             ContainsSubstring("lesson 09_reduction has no rung \"7\" (its rungs: 09.1 to 09.10)"));
  CHECK_THAT(f.complaint("zzz"), !ContainsSubstring("Did you mean"));
}

TEST_CASE("a whole lesson where one rung is wanted is explained") {
  const NamesFixture f;
  CHECK_THROWS_WITH(find_rung(f.course, "9"), "\"9\" is a whole lesson; name one of its rungs");
}
