#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "grader/course/course.h"
#include "grader/idea/evaluate.h"
#include "grader/idea/figures.h"
#include "grader/platform/files.h"
#include "tests/grader/support/sample.h"

using namespace ladder;
using namespace ladder::cli;
using idea::Metric;

namespace {

constexpr const char* kIdeasFile = "lessons/09_reduction/lesson.toml";

std::string lesson_with(const std::string& idea) {
  return R"(title = "Reduction"
summary = "sums"
part = "II Patterns"
[[rung]]
name = "1_serial"
summary = "one thread"
hints = ["a", "b"]
)" + idea;
}

idea::Idea parsed(const std::string& text) {
  return parse_lesson(lesson_with(text), kIdeasFile).rungs[0].how;
}

std::string refusal(const std::string& text) {
  try {
    parsed(text);
  } catch (const CourseError& error) {
    return error.what();
  }
  return "";
}

sim::AccessRecord column_of_a_tile() {
  sim::AccessRecord access;
  access.space = sim::MemorySpace::shared;
  access.access = sim::AccessKind::read;
  access.bytes = 4;
  access.requests = 100;
  access.cost = 3200;
  access.sample.uses = 100;
  access.sample.mask = 0xffffffff;
  access.sample.cost = 32;
  for (std::size_t lane = 0; lane < 32; ++lane)
    access.sample.offset[lane] = static_cast<std::int64_t>(128 * lane);
  return access;
}

/// A launch of 4 blocks of 64 threads that reads columns of a tile at line 22.
Verdict timed() {
  Verdict verdict;
  verdict.rung = "3_padded";
  verdict.outcome = Outcome::passed;
  verdict.timing = Timing{};
  verdict.timing->modelled = true;
  verdict.timing->median_ms = 0.002;
  verdict.timing->gigabytes_per_s = 0.512;
  sim::KernelRecord kernel;
  kernel.name = "transpose_kernel";
  kernel.grid = {4, 1, 1};
  kernel.block = {64, 1, 1};
  kernel.modelled_ns = 2000;
  kernel.counters.inst_executed = 1000;
  kernel.counters.thread_inst_executed = 16000;
  kernel.counters.global_load_requests = 32;
  kernel.counters.global_load_sectors = 128;
  kernel.counters.global_store_requests = 2;
  kernel.counters.shared_load_requests = 100;
  kernel.counters.shared_load_wavefronts = 3200;
  kernel.counters.barriers = 16;
  kernel.model.global_waits = 8;
  kernel.instructions[sim::InstructionClass::shuffle] = 40;
  kernel.places[sim::InstructionClass::release] = 1;
  kernel.places[sim::InstructionClass::fence] = 2;
  kernel.lines.push_back({"lessons/05_transpose/3_padded.cu", 22, 500, 8000, {column_of_a_tile()}});
  verdict.kernels.push_back(std::move(kernel));
  verdict.calls = {{"cudaMemcpyAsync", 3}, {"cudaMemcpy", 1}};
  return verdict;
}

double value(const Verdict& verdict, Metric metric, std::vector<std::string> of = {}) {
  idea::Condition condition;
  condition.metric = metric;
  condition.of = std::move(of);
  return idea::value_of(condition, idea::figures_of(verdict)).value;
}

const std::string kPadded = R"([[rung.idea]]
metric = "shared_load_excess"
at_most = 1.5
says = "a column of the tile still takes {cost} wavefronts where {least} would do"
)";

}  // namespace

TEST_CASE("docs/ideas.md has every metric with its definition") {
  const std::string docs = read_file(std::string(LADDER_SOURCE_DIR) + "/docs/ideas.md");
  for (const idea::MetricInfo& info : idea::metrics()) {
    INFO(info.name);
    CHECK(docs.find(std::string("| `") + info.name + "` | " + info.definition + " |") != std::string::npos);
    CHECK(idea::metric_from(info.name) == info.metric);
  }
  CHECK(!idea::metric_from("elegance"));
}

TEST_CASE("an idea in lesson.toml is read, and one that makes no sense is refused at its line") {
  const idea::Idea idea = parsed(kPadded);
  REQUIRE(idea.conditions.size() == 1);
  CHECK(idea.conditions[0].metric == Metric::shared_load_excess);
  CHECK(idea.conditions[0].at_most == 1.5);
  CHECK(!idea.conditions[0].at_least);
  CHECK(parsed("idea_unobserved = \"both are one instruction\"\n").unobserved == "both are one instruction");
  CHECK(
      refusal("[[rung.idea]]\nmetric = \"shared_load_exces\"\nat_most = 1\nsays = \"x\"\n")
          .find(
              "lesson.toml:9: no metric is called `shared_load_exces`: did you mean `shared_load_excess`?") !=
      std::string::npos);
  CHECK(
      refusal("[[rung.idea]]\nmetric = \"launches\"\nsays = \"x\"\n").find("needs `at_least` or `at_most`") !=
      std::string::npos);
  CHECK(refusal("[[rung.idea]]\nmetric = \"launches\"\nat_most = 1\n").find("`says` is missing") !=
        std::string::npos);
  CHECK(
      refusal("[[rung.idea]]\nmetric = \"calls\"\nat_least = 1\nsays = \"x\"\n").find("wants a list `of`") !=
      std::string::npos);
  CHECK(refusal("[[rung.idea]]\nmetric = \"instructions\"\nof = [\"shuffel\"]\nat_least = 1\nsays = \"x\"\n")
            .find("no class of instructions is called `shuffel`") != std::string::npos);
  CHECK(parsed("idea_unobserved = \"the rung below is padded, too\"\n" + kPadded).conditions.size() == 1);
}

TEST_CASE("metrics are what their definitions say") {
  const Verdict verdict = timed();
  CHECK(value(verdict, Metric::launches) == 1);
  CHECK(value(verdict, Metric::threads) == 256);
  CHECK(value(verdict, Metric::grid_blocks) == 4);
  CHECK(value(verdict, Metric::block_threads) == 64);
  CHECK(value(verdict, Metric::load_sectors) == 4);
  CHECK(value(verdict, Metric::load_traffic) == 4);  // 128 sectors of 32 bytes for 1024 useful ones
  CHECK(value(verdict, Metric::stores_per_kib) == 2);
  CHECK(value(verdict, Metric::loads_per_wait) == 4);
  CHECK(value(verdict, Metric::lanes_at_work) == 16);
  CHECK(value(verdict, Metric::barriers) == 2);
  CHECK(value(verdict, Metric::shared_load_excess) == 32);
  CHECK(value(verdict, Metric::shared_load_wavefronts) == 32);
  CHECK(value(verdict, Metric::places, {"release", "fence"}) == 3);
  CHECK(value(verdict, Metric::places, {"acquire"}) == 0);
  CHECK(value(verdict, Metric::instructions, {"shuffle", "vote"}) == 5);
  CHECK(value(verdict, Metric::calls, {"cudaMemcpyAsync", "cudaMemcpy", "cudaFree"}) == 4);
  CHECK(value(verdict, Metric::global_atomics) == 0);
  Verdict nothing;
  for (const idea::MetricInfo& info : idea::metrics()) {
    INFO(info.name);
    CHECK(value(nothing, info.metric, {"shuffle"}) == 0);
  }
}

TEST_CASE("a rung that is right without its idea is told what is missing, and at which line") {
  Verdict verdict = timed();
  idea::judge(parsed(kPadded), 3, verdict);
  CHECK(verdict.outcome == Outcome::idea_missing);
  CHECK(verdict.headline ==
        "right answer, but the idea of rung 3 is missing: a column of the tile still takes 32 wavefronts "
        "where 1 "
        "would do (3_padded.cu:22)");
  REQUIRE(verdict.idea);
  CHECK(!verdict.idea->works);
  CHECK(verdict.idea->line == 22);
  const nlohmann::json json = verdict;
  CHECK(json.at("outcome") == "idea_missing");
  CHECK(json.at("idea").at("metric") == "shared_load_excess");
  const auto back = json.get<Verdict>();
  CHECK(back.outcome == Outcome::idea_missing);
  REQUIRE(back.idea);
  CHECK(back.idea->says == verdict.idea->says);
  CHECK(back.idea->at_most == 1.5);
  CHECK(back.calls == verdict.calls);
}

TEST_CASE("all conditions have to hold, and the first that does not is told") {
  const std::string barriers = "[[rung.idea]]\nmetric = \"barriers\"\nat_least = 2\nsays = \"no barrier\"\n";
  const std::string shuffles =
      "[[rung.idea]]\nmetric = \"instructions\"\nof = [\"shuffle\"]\nat_least = 9.5\nsays = \"{value} of "
      "{limit}\"\n";
  Verdict verdict = timed();
  idea::judge(parsed(barriers), 1, verdict);
  CHECK(verdict.outcome == Outcome::passed);
  REQUIRE(verdict.idea);
  CHECK(verdict.idea->works);
  idea::judge(parsed(barriers + shuffles + kPadded), 1, verdict);
  CHECK(verdict.outcome == Outcome::idea_missing);
  CHECK(verdict.idea->says == "5 of 9.5");
}

TEST_CASE("nothing is said of an idea where nothing was counted, or the answer is wrong") {
  Verdict measured = timed();
  measured.timing->modelled = false;
  Verdict untimed = timed();
  untimed.timing.reset();
  Verdict wrong = timed();
  wrong.outcome = Outcome::wrong_values;
  for (Verdict* verdict : {&measured, &untimed, &wrong}) {
    const Outcome before = verdict->outcome;
    idea::judge(parsed(kPadded), 3, *verdict);
    CHECK(verdict->outcome == before);
    CHECK(!verdict->idea);
  }
}

TEST_CASE("a GPU's verdict is held to what the simulator counted of the same rung") {
  Verdict measured = timed();
  measured.timing->modelled = false;
  measured.kernels.clear();
  idea::judge(parsed(kPadded), 3, timed(), measured);
  CHECK(measured.outcome == Outcome::idea_missing);
  REQUIRE(measured.idea);
  CHECK(!measured.idea->works);
  CHECK(!measured.timing->modelled);  // its time stays the GPU's
}
