// The course itself through `ladder grade`: its finished solutions, handed in as a student's files.
#include <catch2/catch_test_macros.hpp>
#include <vector>

#include "grader/course/course.h"
#include "tests/grader/grade/class_folder.h"

using namespace grading;
using namespace ladder::cli;

namespace {

using Rungs = std::vector<RungInfo>;

/// Hands in the solutions of the rungs that @p choose takes
/// of each lesson, and expects every point of theirs.
/// @return how many were graded
template <typename Choose>
std::size_t earn_every_point(const std::string& policy, const Choose& choose) {
  const TemporaryFolder folder(fs::temp_directory_path() / "ladder-course");
  Project project;
  project.root = checkout();
  const Course course = load_course(project);
  REQUIRE(course.problems.empty());
  std::size_t handed_in = 0, graded_rungs = 0;
  for (const LessonInfo& lesson : course.lessons)
    for (const RungInfo& rung : choose(lesson.rungs)) {
      write_file(folder.path() / "class" / "ann" / lesson.name / (rung.name + ".cu"),
                 solution(lesson.name, rung.name));
      ++handed_in;
    }
  write_file(folder.path() / "policy.toml", policy);
  const Graded graded = run_ladder({"grade", folder.path() / "class", "--out", folder.path() / "out",
                                    "--policy", folder.path() / "policy.toml"});
  INFO(graded.text);
  if (const std::string reason = why_no_sandbox(graded); !reason.empty()) SKIP(reason);
  REQUIRE(graded.code == 0);
  const nlohmann::json student = read_json(folder.path() / "out" / "students" / "ann.json");
  for (const nlohmann::json& lesson : student.at("lessons"))
    for (const nlohmann::json& rung : lesson.at("rungs")) {
      if (rung.at("outcome") == "not_submitted") continue;
      INFO(lesson.at("lesson").get<std::string>() << "/" << rung.dump());
      CHECK(rung.at("outcome") == "passed");
      CHECK(rung.at("points") == rung.at("points_possible"));
      ++graded_rungs;
    }
  CHECK(student.at("needs_attention") == false);
  CHECK(graded_rungs == handed_in);
  return graded_rungs;
}

}  // namespace

// The top rung has most to go wrong on its way through
// cells that show it nothing but what the course declares.
TEST_CASE("the top rung of every lesson, graded with all cases, earns every point", "[lessons]") {
  CHECK(earn_every_point("device = \"sim\"\n", [](const Rungs& all) { return Rungs{all.back()}; }) >= 25);
}

// All 188 rungs are compiled twice and run: some ten minutes of CPU
// time, so it is started by hand. build/bin/test_grade "[.course]"
TEST_CASE("the solutions of every lesson, handed in as a student's files, earn every point", "[.course]") {
  CHECK(earn_every_point("cases = \"quick\"\ndevice = \"sim\"\n", [](const Rungs& all) { return all; }) >
        180);
}
