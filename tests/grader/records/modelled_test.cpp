#include "grader/records/modelled.h"

#include <catch2/catch_test_macros.hpp>

#include "grader/platform/failure.h"
#include "grader/platform/files.h"
#include "tests/grader/support/sample.h"

using namespace ladder;
using namespace ladder::cli;

namespace {

Verdict timed(const std::string& rung, double ms, const std::string& size = "n=1024", bool modelled = true) {
  Verdict verdict;
  verdict.rung = rung;
  verdict.timing.emplace();
  verdict.timing->median_ms = ms;
  verdict.timing->size = size;
  verdict.timing->modelled = modelled;
  return verdict;
}

}  // namespace

TEST_CASE("modelled times of solutions are kept with their sizes, and compared with at the same size only") {
  sample::Tree tree;
  tree.add_lesson("09_reduction");
  const Course course = load_course(tree.project);
  const LessonInfo& lesson = course.lessons[0];
  CHECK(!load_modelled(lesson));
  const auto rung = [](const std::string& name, const std::string& outcome, double ms) {
    return nlohmann::json{
        {"rung", name}, {"outcome", outcome}, {"timing", {{"median_ms", ms}, {"size", "n=1024"}}}};
  };
  nlohmann::json run = {{"side", "solution"},
                        {"rungs", {rung("1_serial", "passed", 8), rung("3_interleaved", "passed", 2)}}};
  write_file(lesson.folder / "modelled.json", modelled_of(run, lesson).dump());
  const std::optional<Modelled> kept = load_modelled(lesson);
  REQUIRE(kept);
  const Modelled::Time* time = kept->beside(lesson.rungs[0], *timed("1_serial", 9).timing);
  REQUIRE(time != nullptr);
  CHECK(time->median_ms == 8);
  CHECK(kept->beside(lesson.rungs[0], *timed("1_serial", 9, "n=2048").timing) == nullptr);
  CHECK(kept->beside(lesson.rungs[0], *timed("1_serial", 9, "n=1024", false).timing) == nullptr);

  CHECK(kept->outdated({timed("1_serial", 8.9), timed("3_interleaved", 1.9)}).empty());
  CHECK(kept->outdated({timed("1_serial", 11), timed("3_interleaved", 2)}) ==
        std::vector<std::string>{"1_serial"});
  CHECK(kept->outdated({timed("10_warp_shuffle", 1)}) == std::vector<std::string>{"10_warp_shuffle"});
  CHECK(kept->outdated({timed("1_serial", 100, "n=1024", false)}).empty());  // measured: another matter

  run["rungs"].push_back(rung("10_warp_shuffle", "wrong_values", 1));
  CHECK_THROWS_AS(modelled_of(run, lesson), Failure);
  run["side"] = "student";
  CHECK_THROWS_AS(modelled_of(run, lesson), Failure);
}
