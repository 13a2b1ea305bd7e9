// What was predicted beside what was counted.
#include "grader/records/predictions.h"

#include <catch2/catch_test_macros.hpp>

#include "grader/present/predictions_view.h"
#include "grader/records/results.h"
#include "tests/grader/support/sample.h"

using namespace ladder::cli;

namespace {

constexpr const char* kAsking = R"toml(title = "Reduction"
summary = "Many numbers into one."
part = "II Patterns"
[[rung]]
name = "1_serial"
summary = "One thread adds everything"
[[rung.predict]]
ask = "sectors of a request to load"
metric = "load_sectors"
[[rung.predict]]
ask = "the least time"
answer = 0.5
unit = "ms"
)toml";

LessonInfo asking() { return parse_lesson(kAsking, "lessons/09_reduction/lesson.toml"); }

/// The rung as the simulator timed it: four requests of 32 sectors.
void keep_counted(const std::filesystem::path& state, const LessonInfo& lesson) {
  LessonRunResult run;
  run.device.kind = "simulator";
  RungResult rung;
  rung.rung = &lesson.rungs.front();
  rung.verdict.outcome = ladder::Outcome::passed;
  rung.verdict.timing = ladder::Timing{};
  sim::KernelRecord kernel;
  kernel.counters.global_load_requests = 4;
  kernel.counters.global_load_sectors = 128;
  rung.verdict.kernels = {kernel};
  run.rungs = {rung};
  keep_results(state, {&lesson, {rung.rung}, true}, run);
}

}  // namespace

TEST_CASE("a prediction is kept, and what is counted comes beside it once the rung was right") {
  const sample::Tree tree;
  const LessonInfo lesson = asking();
  const RungInfo& rung = lesson.rungs.front();
  const auto state = tree.project.state();
  Progress progress(state);
  auto all = predictions_of(state, progress, lesson, rung);
  REQUIRE(all.size() == 2);
  CHECK_FALSE(all[0].said);
  CHECK_FALSE(all[0].found);
  CHECK(prediction_text(all[0]).empty());

  progress.set_prediction(lesson, rung, all[0].question->key(), 8);
  progress.set_prediction(lesson, rung, all[1].question->key(), 0.5);
  const Progress again(state);
  all = predictions_of(state, again, lesson, rung);
  CHECK(prediction_text(all[0]) == "you said 8; it is counted when the rung is right");
  CHECK(question_text(*all[1].question) == "the least time, in ms");
  CHECK(prediction_text(all[1]) == "you said 0.5 ms, worked out 0.5 ms: exact");

  keep_counted(state, lesson);
  all = predictions_of(state, again, lesson, rung);
  CHECK(all[0].answered());
  CHECK(prediction_text(all[0]) == "you said 8, counted 32: 4 times too low");
}

TEST_CASE("how far off a number is, is said in words that fit the distance") {
  CHECK(how_far_off(32, 32.1) == "exact");
  CHECK(how_far_off(36, 32) == "12 % too high");
  CHECK(how_far_off(24, 32) == "25 % too low");
  CHECK(how_far_off(4, 32) == "8 times too low");
  CHECK(how_far_off(80, 32) == "2.5 times too high");
  CHECK(how_far_off(1e9, 32) == "far too high");
  CHECK(how_far_off(0, 32) == "too low");
  CHECK(how_far_off(1, 0) == "too high");
  CHECK(how_far_off(0, 0) == "exact");
}

TEST_CASE("numbers are read as people type them, and written so that they can be read") {
  CHECK(number_from("1,048,576") == 1048576.0);
  CHECK(number_from(" 1/4 ") == 0.25);
  CHECK(number_from("5e8") == 5e8);
  for (const char* text : {"", "many", "1/0", "4x", "nan", "inf", "1e999"}) CHECK_FALSE(number_from(text));
  CHECK(number_text(1048576) == "1,048,576");
  CHECK(number_text(999) == "999");
  CHECK(number_text(0.515625) == "0.516");
}

TEST_CASE("a question without a measure, or with two, is refused at its line") {
  const std::string begin =
      "title = \"R\"\nsummary = \"s\"\npart = \"I\"\n[[rung]]\nname = \"1_a\"\nsummary = "
      "\"s\"\n[[rung.predict]]\n";
  const auto refused = [&](const std::string& question) {
    try {
      (void)parse_lesson(begin + question, "lessons/09_reduction/lesson.toml");
    } catch (const CourseError& error) {
      return error.problem().message;
    }
    return std::string();
  };
  CHECK(refused("ask = \"n\"\n") == "a question has either a `metric` that is counted or an `answer`");
  CHECK(refused("ask = \"n\"\nmetric = \"load_sectors\"\nanswer = 1\n") ==
        "a question has either a `metric` that is counted or an `answer`");
  CHECK(refused("ask = \"n\"\nmetric = \"load_sector\"\n").find("did you mean `load_sectors`?") !=
        std::string::npos);
  CHECK(refused("metric = \"load_sectors\"\n") == "`ask` is missing");
  CHECK(refused("ask = \"n\"\nanswer = 1\n").empty());
}
