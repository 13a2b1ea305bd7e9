#include "grader/records/times.h"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "grader/platform/files.h"
#include "tests/grader/support/sample.h"

using namespace ladder;
using namespace ladder::cli;

namespace {

const LessonInfo& timed_lesson() {
  static const LessonInfo parsed = parse_lesson(sample::kLesson, "lessons/09_reduction/lesson.toml");
  return parsed;
}

const Course& course() {
  static const Course all{{timed_lesson()}, {}};
  return all;
}

/// A run of the first rung on a device, with that bandwidth.
LessonRunResult run(const std::string& device, bool modelled, double gigabytes_per_s) {
  LessonRunResult result;
  result.device.name = device;
  result.device.modelled = modelled;
  result.peaks = {{"read_gbs", 4000.0}, {"copy_gbs", 3800.0}, {"fp32_gflops", 60e3}, {"fp64_gflops", 60e3}};
  RungResult rung;
  rung.rung = &timed_lesson().rungs.front();
  rung.verdict.rung = rung.rung->name;
  rung.verdict.outcome = Outcome::passed;
  rung.verdict.timing.emplace();
  rung.verdict.timing->gigabytes_per_s = gigabytes_per_s;
  rung.verdict.timing->gigaflops_per_s = gigabytes_per_s / 4;
  result.rungs.push_back(std::move(rung));
  return result;
}

}  // namespace

TEST_CASE("times of rungs are found again under the roof of their device") {
  const sample::Tree tree;
  keep_times(tree.project.state(), run("H200", false, 1000), timed_lesson(), Side::student);
  const auto roofline = kept_roofline(tree.project.state(), course(), Side::student);
  REQUIRE(roofline);
  CHECK(roofline->device == "H200");
  CHECK_FALSE(roofline->modelled);
  CHECK(roofline->gigabytes_per_s == Catch::Approx(4000));
  REQUIRE(roofline->roofs.size() == 1);  // the level of double precision is the same one
  REQUIRE(roofline->points.size() == 1);
  CHECK(roofline->points[0].lesson == "09");
  CHECK(roofline->points[0].intensity() == Catch::Approx(0.25));
  CHECK(roofline->points[0].best);
  CHECK_FALSE(kept_roofline(tree.project.state(), course(), Side::solution));
}

TEST_CASE("a rung's newer time replaces its older one") {
  const sample::Tree tree;
  keep_times(tree.project.state(), run("H200", false, 1000), timed_lesson(), Side::student);
  keep_times(tree.project.state(), run("H200", false, 2000), timed_lesson(), Side::student);
  const auto roofline = kept_roofline(tree.project.state(), course(), Side::student);
  REQUIRE(roofline);
  REQUIRE(roofline->points.size() == 1);
  CHECK(roofline->points[0].gigabytes_per_s == Catch::Approx(2000));
}

TEST_CASE("measured times are shown rather than modelled ones, and never together") {
  const sample::Tree tree;
  keep_times(tree.project.state(), run("H200", true, 1000), timed_lesson(), Side::student);
  CHECK(kept_roofline(tree.project.state(), course(), Side::student)->modelled);
  keep_times(tree.project.state(), run("H200", false, 2000), timed_lesson(), Side::student);
  const auto roofline = kept_roofline(tree.project.state(), course(), Side::student);
  REQUIRE(roofline);
  CHECK_FALSE(roofline->modelled);
  CHECK(roofline->points.size() == 1);
}

TEST_CASE("a rung that failed leaves no time") {
  const sample::Tree tree;
  LessonRunResult failed = run("H200", false, 1000);
  failed.rungs[0].verdict.outcome = Outcome::wrong_values;
  keep_times(tree.project.state(), failed, timed_lesson(), Side::student);
  CHECK_FALSE(kept_roofline(tree.project.state(), course(), Side::student));
}

TEST_CASE("a file of times that cannot be read is begun anew") {
  const sample::Tree tree;
  write_file(tree.project.state() / "times.json", "{ no");
  CHECK_FALSE(kept_roofline(tree.project.state(), course(), Side::student));
  keep_times(tree.project.state(), run("H200", false, 1000), timed_lesson(), Side::student);
  CHECK(kept_roofline(tree.project.state(), course(), Side::student));
}

TEST_CASE("a rung keeps its times under a new name and number, and one that is gone is left out") {
  const sample::Tree tree;
  keep_times(tree.project.state(), run("H200", false, 1000), timed_lesson(), Side::student);
  Course newer = course();
  newer.lessons[0].number = 12;
  newer.lessons[0].short_name = "sum";
  newer.lessons[0].formerly = {"reduction"};
  const auto renamed = kept_roofline(tree.project.state(), newer, Side::student);
  REQUIRE(renamed);
  CHECK(renamed->points[0].name.starts_with("12.1"));
  newer.lessons[0].formerly.clear();
  CHECK_FALSE(kept_roofline(tree.project.state(), newer, Side::student));
}

TEST_CASE("measured and modelled times can be asked for by themselves") {
  const sample::Tree tree;
  keep_times(tree.project.state(), run("H200", true, 1000), timed_lesson(), Side::student);
  CHECK_FALSE(kept_roofline(tree.project.state(), course(), Side::student, Kept::measured));
  keep_times(tree.project.state(), run("H200", false, 2000), timed_lesson(), Side::student);
  CHECK(kept_roofline(tree.project.state(), course(), Side::student, Kept::modelled)->modelled);
  CHECK_FALSE(kept_roofline(tree.project.state(), course(), Side::student, Kept::measured)->modelled);
}

TEST_CASE("processes that keep times at once lose nothing of each other's") {
  const sample::Tree tree;
  constexpr int kProcesses = 6;
  std::vector<pid_t> children;
  for (int p = 0; p < kProcesses; ++p) {
    const pid_t child = ::fork();
    if (child == 0) {
      for (int i = 0; i < 5; ++i)
        keep_times(tree.project.state(), run("GPU " + std::to_string(p), false, 1000), timed_lesson(),
                   Side::student);
      ::_exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 1;
    ::waitpid(child, &status, 0);
    CHECK(status == 0);
  }
  const auto kept = nlohmann::json::parse(read_file(tree.project.state() / "times.json"));
  CHECK(kept["student"].size() == kProcesses);
}
