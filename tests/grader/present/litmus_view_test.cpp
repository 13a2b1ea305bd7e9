#include "grader/present/findings/litmus_view.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>

using namespace ladder::cli;
using sim::LitmusOutcome;
using sim::LitmusRecord;
using sim::LitmusStep;

namespace {

constexpr Terminal kPlain{.unicode = false};

LitmusStep step(int thread, const char* kind, const char* instruction, const char* location,
                const char* value, int line, int from = LitmusStep::kNone) {
  return {thread, kind, instruction, "mp.cu", line, location, value, from};
}

/// Message passing: the flag is seen, the message is not.
LitmusRecord stale() {
  LitmusRecord record;
  record.kernel = "mp";
  record.threads = {"block 0, thread 0", "block 1, thread 0"};
  record.locations = {"data", "r[0]"};
  record.candidates = 4;
  LitmusOutcome fails{.values = {"1", "0"}, .executions = 1, .allowed = true};
  fails.verdict = sim::LitmusVerdict::fails;
  fails.said = "mp.cu:18: Assertion failed\n";
  fails.steps = {step(0, "write", "st.global.u32", "data", "1", 6),
                 step(0, "write", "st.release.gpu.global.b32", "flag", "1", 7),
                 step(1, "read", "ld.relaxed.gpu.global.b32", "flag", "1", 9, 1),
                 step(1, "read", "ld.global.u32", "data", "0", 10, LitmusStep::kInitial)};
  LitmusOutcome holds = fails;
  holds.values = {"1", "1"};
  holds.verdict = sim::LitmusVerdict::holds;
  LitmusOutcome forbidden{.values = {"1", "2"}, .executions = 3, .allowed = false, .broken = {"causality"}};
  record.outcomes = {fails, holds, forbidden};
  return record;
}

bool has(const std::vector<std::string>& lines, const std::string& part) {
  return std::any_of(lines.begin(), lines.end(),
                     [&](const std::string& line) { return line.find(part) != std::string::npos; });
}

}  // namespace

TEST_CASE(
    "an execution is a column for each thread, and a read stands at the end of an arrow from its write") {
  const LitmusRecord record = stale();
  const auto lines = execution_diagram(record, record.outcomes[0], kPlain);
  REQUIRE(lines.size() == 5);
  const std::size_t column = lines[0].find("block 1");
  CHECK(lines[1] == "a: st data := 1  line 6");
  CHECK(lines[2] == "b: st.release.gpu flag := 1  line 7");
  CHECK(lines[3].starts_with("b ---"));
  CHECK(lines[3].substr(column - 2) == "> c: ld.relaxed.gpu flag = 1  line 9");
  CHECK(lines[4] == std::string(column, ' ') + "d: ld data = 0 (initial)  line 10");
}

TEST_CASE("arrows lead to the left, too, and reads that wait for each other are all there") {
  LitmusRecord record = stale();
  record.outcomes[0].steps = {
      step(0, "read", "ld.global.u32", "x", "1", 1, 3), step(0, "write", "st.global.u32", "y", "1", 2),
      step(1, "read", "ld.global.u32", "y", "1", 3, 1), step(1, "write", "st.global.u32", "x", "1", 4)};
  const auto lines = execution_diagram(record, record.outcomes[0], kPlain);
  REQUIRE(lines.size() == 5);
  CHECK(lines[1].starts_with("a: ld x = 1  line 1 <---"));
  CHECK(lines[1].ends_with("- d"));
  CHECK(lines[3].starts_with("b ---"));
}

TEST_CASE("outcomes are told with what the model and the program say of them") {
  const auto lines = litmus_lines(stale(), kPlain);
  CHECK(has(lines, "2 threads, 4 executions looked at"));
  CHECK(has(lines, "allowed, and the program fails"));
  CHECK(has(lines, "forbidden: causality"));
  CHECK(has(lines, "The program fails where r[0] = 0"));  // data is 1 in all of them
  CHECK(has(lines, "Assertion failed"));
  CHECK_FALSE(has(lines, "No execution that PTX allows"));
}

TEST_CASE("what no allowed execution breaks is told as such, and what was left out beside it") {
  LitmusRecord record = stale();
  record.outcomes.erase(record.outcomes.begin());
  record.given_up = 2;
  record.races.push_back({"data", "a/mp.cu", "a/mp.cu", 6, 10});
  const auto lines = litmus_lines(record, kPlain);
  CHECK(has(lines, "No execution that PTX allows makes the program fail."));
  CHECK(has(lines, "2 ways to run a thread"));
  CHECK(has(lines, "data race for data: mp.cu:6 and mp.cu:10"));
}

TEST_CASE("a kernel that cannot be explored is told with the reason alone") {
  LitmusRecord record = stale();
  record.refused = "mp.cu:3: mbarriers are not explored";
  const auto lines = litmus_lines(record, kPlain);
  CHECK(lines.size() == 1);
  CHECK(has(lines, "mp cannot be explored: mp.cu:3: mbarriers are not explored"));
}
