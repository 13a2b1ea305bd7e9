#include "grader/present/map_view.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "tests/grader/support/sample.h"

using namespace ladder::cli;
using Catch::Matchers::ContainsSubstring;

namespace {

struct MapFixture {
  sample::Tree tree;
  MapFixture() {
    tree.add_lesson("01_vector_add");
    tree.add_lesson("09_reduction");
  }
  void change(const char* lesson, const std::string& was, const std::string& is) const {
    const std::filesystem::path file = tree.project.lessons() / lesson / "lesson.toml";
    std::string toml = read_file(file);
    toml.replace(toml.find(was), was.size(), is);
    write_file(file, toml);
  }
  Course course() const { return load_course(tree.project); }
  Progress progress() const { return Progress(tree.project.state()); }
  static std::string text(const std::vector<std::string>& lines) {
    std::string all;
    for (const std::string& line : lines) {
      CAPTURE(line);
      CHECK(display_width(line) <= 80);
      all += line + "\n";
    }
    return all;
  }
};

}  // namespace

TEST_CASE("the map says how hard a lesson is and how long it takes, and whose estimate that is") {
  const MapFixture f;
  const std::string silent = f.text(lessons_view(f.course(), f.progress(), {}, Terminal()));
  CHECK_THAT(silent, !ContainsSubstring("estimate"));
  CHECK_THAT(silent, ContainsSubstring("0/3   Reduction"));
  f.change("09_reduction", "prerequisites", "difficulty = \"medium\"\nminutes = 120\nprerequisites");
  const std::string told = f.text(lessons_view(f.course(), f.progress(), {}, Terminal()));
  CHECK_THAT(told, ContainsSubstring("09 reduction   ···           0/3  medium ~120 min"));
  CHECK_THAT(told, ContainsSubstring("minutes: the authors' estimates"));
  const std::string lesson = f.text(rungs_view(f.course().lessons[1], f.progress(), Terminal()));
  CHECK_THAT(lesson, ContainsSubstring("medium, about 120 min (the authors' estimate)"));
  CHECK_THAT(lesson, ContainsSubstring("builds on 05 transpose"));
}

TEST_CASE("the map counts the kernels that were mended, and a lesson without any counts none") {
  const MapFixture f;
  const Course course = f.course();
  const HuntCounts hunts = {{&course.lessons[1], {3, 2, 14}}};
  const std::string told = f.text(lessons_view(course, f.progress(), hunts, Terminal()));
  CHECK_THAT(told, ContainsSubstring("0/3  2/14"));
  CHECK_THAT(told, ContainsSubstring("ladder hunt"));
  CHECK(sum_of(hunts).found == 3);
}

TEST_CASE("a detour is marked in the list of rungs, and the reason stands below it") {
  const MapFixture f;
  f.change("09_reduction", "points = 2.5", "detour = \"Slower here, and what rung 10 is made of.\"");
  const Course course = f.course();
  const std::string told = f.text(rungs_view(course.lessons[1], f.progress(), Terminal()));
  CHECK_THAT(told, ContainsSubstring("09.3  interleaved ↷  Pairs"));
  CHECK_THAT(
      told, ContainsSubstring("\n  ↷ detour, 09.3 interleaved: Slower here, and what rung 10 is made of.\n"));
  Terminal ascii;
  ascii.unicode = false;
  CHECK_THAT(f.text(rungs_view(course.lessons[1], f.progress(), ascii)), ContainsSubstring("interleaved @"));
  CHECK_THAT(f.text(rungs_view(course.lessons[0], f.progress(), Terminal())), !ContainsSubstring("detour"));
}
