#include "grader/records/measured.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "grader/platform/failure.h"
#include "grader/platform/files.h"
#include "grader/present/readme_tables.h"
#include "tests/grader/support/sample.h"

using namespace ladder;
using namespace ladder::cli;
using Catch::Matchers::ContainsSubstring;
using nlohmann::json;

namespace {

json verdict(const std::string& rung, double median, double at_other_size) {
  const auto timing = [](double ms, const std::string& size) {
    return json{{"median_ms", ms}, {"q1_ms", ms},           {"q3_ms", ms},
                {"samples", 20},   {"speed_of_light", 0.5}, {"size", size}};
  };
  return {{"rung", rung},
          {"outcome", "passed"},
          {"findings", json::array({1})},
          {"timing", timing(median, "n=9")},
          {"more_timings", json::array({timing(at_other_size, "n=3")})}};
}

json sample_run() {
  return {{"side", "solution"},
          {"lesson", "09_reduction"},
          {"device",
           {{"name", "NVIDIA H200"},
            {"machine", "gpu"},
            {"compute_capability", "9.0"},
            {"modelled", false},
            {"time_size", "n=9"}}},
          {"reference_ms", 900.0},
          {"rungs", json::array({verdict("1_serial", 80, 8), verdict("3_interleaved", 4, 2),
                                 verdict("10_warp_shuffle", 2, 4)})},
          {"baselines", json::array({verdict("cub", 3, 1)})}};
}

struct MeasuredFixture {
  sample::Tree tree;
  Course course;
  MeasuredFixture() {
    tree.add_lesson("09_reduction");
    course = load_course(tree.project);
  }
  const LessonInfo& lesson() const { return course.lessons[0]; }
};

}  // namespace

TEST_CASE("a measured run is kept without what only its own day needs, and printed as the ladder prints it") {
  MeasuredFixture f;
  const json kept = worth_keeping(sample_run(), f.lesson(), "2026-11-21");
  CHECK_FALSE(kept["rungs"][0].contains("findings"));
  CHECK_FALSE(load_measured(f.lesson()).has_value());
  write_file(f.lesson().folder / "measured.json", kept.dump());
  const std::optional<Measured> measured = load_measured(f.lesson());
  REQUIRE(measured.has_value());
  CHECK(measured->date == "2026-11-21");
  const std::string text = ladders_of(*measured, f.lesson());
  CHECK_THAT(text, ContainsSubstring("timed at n=9") && ContainsSubstring("Timed at n=3"));
  CHECK_THAT(text, ContainsSubstring("warp shuffle is 1.50× as fast as cub.") &&
                       ContainsSubstring("interleaved is at 50 % of the speed of cub."));
  CHECK_THAT(map_table(f.course, "lessons/"), ContainsSubstring("| 3 | 40.0× | 50 % | 1.50× cub |") &&
                                                  ContainsSubstring("(lessons/09_reduction/README.md)"));
}

TEST_CASE("the map claims no lead that the spread of the times may hide") {
  MeasuredFixture f;
  json run = sample_run();
  json& baseline = run["baselines"][0]["timing"];
  baseline["q1_ms"] = 1.5;  // its median is 3, and the fastest rung takes 2
  write_file(f.lesson().folder / "measured.json", worth_keeping(run, f.lesson(), "2026-11-21").dump());
  CHECK_THAT(map_table(f.course, "lessons/"), ContainsSubstring("| 3 | 40.0× | 50 % | level with cub |"));
}

TEST_CASE("only a run of all solutions on a GPU, all of them right, is worth keeping") {
  MeasuredFixture f;
  const auto refused = [&](const auto& change) {
    json run = sample_run();
    change(run);
    CHECK_THROWS_AS(worth_keeping(run, f.lesson(), "2026-11-21"), Failure);
  };
  refused([](json& run) { run["side"] = "student"; });
  refused([](json& run) { run["device"]["machine"] = "simulator"; });
  refused([](json& run) { run["rungs"].erase(1); });
  refused([](json& run) { run["rungs"][1]["outcome"] = "wrong_values"; });
}

TEST_CASE("what stands between marks is replaced, and nothing else") {
  const std::string text = "a\n<!-- map: begin (by x) -->\nold\n<!-- map: end -->\nb\n";
  CHECK(between_marks(text, "map", "new\n") == "a\n<!-- map: begin (by x) -->\nnew\n<!-- map: end -->\nb\n");
  CHECK_FALSE(between_marks("no marks\n", "map", "new\n").has_value());
  CHECK_FALSE(between_marks("<!-- map: begin -->\nold\n", "map", "new\n").has_value());
}

TEST_CASE("a recorded time is of one rung, one device and one day, and one that is missing is not made up") {
  MeasuredFixture f;
  CHECK_FALSE(load_recorded(f.lesson()).has_value());
  json kept = worth_keeping(sample_run(), f.lesson(), "2026-11-21");
  kept["rungs"][1].erase("timing");
  write_file(f.lesson().folder / "measured.json", kept.dump());
  const std::optional<Recorded> recorded = load_recorded(f.lesson());
  REQUIRE(recorded.has_value());
  CHECK(recorded->label() == "recorded, H200, 2026-11-21");
  const std::vector<RungInfo>& rungs = f.lesson().rungs;
  CHECK(recorded->of(rungs[0])->median_ms == 80);
  CHECK(recorded->of(rungs[1]) == nullptr);
  CHECK_FALSE(recorded->times_below(f.lesson(), rungs[0]).has_value());
  CHECK_FALSE(recorded->times_below(f.lesson(), rungs[2]).has_value());  // its rung below was not recorded
  const json told = to_json(*recorded, {&rungs[1], &rungs[2]});
  CHECK(told["label"] == "recorded, H200, 2026-11-21");
  REQUIRE(told["rungs"].size() == 1);
  CHECK(told["rungs"][0]["rung"] == "10_warp_shuffle");
  CHECK(told["rungs"][0]["timing"]["median_ms"] == 2);
  CHECK(told["rungs"][0]["timing"]["modelled"] == false);
}

TEST_CASE("how much faster than the rung below was recorded is said of equal sizes only") {
  MeasuredFixture f;
  json kept = worth_keeping(sample_run(), f.lesson(), "2026-11-21");
  write_file(f.lesson().folder / "measured.json", kept.dump());
  CHECK(load_recorded(f.lesson())->times_below(f.lesson(), f.lesson().rungs[1]) == 20);
  kept["rungs"][1]["timing"]["size"] = "n=10";
  write_file(f.lesson().folder / "measured.json", kept.dump());
  CHECK_FALSE(load_recorded(f.lesson())->times_below(f.lesson(), f.lesson().rungs[1]).has_value());
  write_file(f.lesson().folder / "measured.json", "{}");
  CHECK_THROWS_AS(load_recorded(f.lesson()), Failure);
}
