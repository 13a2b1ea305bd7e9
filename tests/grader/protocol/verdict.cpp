#include "grader/protocol/verdict.h"
#include "simulator/report/json.h"

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

using namespace ladder;
using nlohmann::json;

TEST_CASE("a verdict survives the way through JSON") {
  Verdict verdict;
  verdict.lesson = "09_reduction";
  verdict.rung = "3_interleaved";
  verdict.outcome = Outcome::finding;
  verdict.headline = "race";
  verdict.cases_passed = 3;
  verdict.cases_total = 9;
  verdict.timing.emplace();
  verdict.timing->median_ms = 1.5;
  verdict.timing->samples = 12;
  verdict.timing->size = "n=5";
  verdict.timing->bound = "DRAM";
  sim::Finding finding;
  finding.kind = sim::FindingKind::race;
  finding.thread = {1, 0, 0};
  finding.other = sim::OtherParty{sim::AccessKind::write, 12, {0, 0, 0}, {17, 0, 0}, {}, ""};
  verdict.findings = {finding};
  sim::KernelRecord record;
  record.name = "reduce";
  record.counters.global_load_sectors = 77;
  verdict.kernels = {record};

  const auto back = json(verdict).get<Verdict>();
  CHECK(back.outcome == Outcome::finding);
  CHECK(back.rung == "3_interleaved");
  REQUIRE(back.timing.has_value());
  CHECK(back.timing->median_ms == 1.5);
  CHECK(back.timing->bound == "DRAM");
  REQUIRE(back.findings.size() == 1);
  CHECK(back.findings[0].other->thread[0] == 17);
  REQUIRE(back.kernels.size() == 1);
  CHECK(back.kernels[0].counters.global_load_sectors == 77);
}

TEST_CASE("a rung that was not timed has no time in JSON") {
  CHECK_FALSE(json(Verdict{}).contains("timing"));
}

TEST_CASE("findings and kernels have the keys that --json promises") {
  sim::Finding finding;
  json text = finding;
  for (const char* key : {"kind", "space", "access", "size", "severity", "kernel", "file", "line", "block",
                          "thread", "count", "message"})
    CHECK(text.contains(key));
  CHECK_FALSE(text.contains("other"));
  finding.other = sim::OtherParty{};
  text = finding;
  for (const char* key : {"access", "line", "block", "thread"}) CHECK(text["other"].contains(key));

  const json record = sim::KernelRecord{};
  for (const char* key : {"name", "launch", "grid", "block", "modelled_ns", "counters"})
    CHECK(record.contains(key));
  for (const char* key :
       {"inst_executed", "thread_inst_executed", "global_load_requests", "global_load_sectors",
        "global_store_requests", "global_store_sectors", "global_atomic_requests", "global_atomic_sectors",
        "shared_load_requests", "shared_load_wavefronts", "shared_store_requests", "shared_store_wavefronts",
        "shared_atomic_requests", "branches", "divergent_branches", "barriers"})
    CHECK(record["counters"].contains(key));
}

TEST_CASE("findings survive the way through text, and of a text that was cut off there are none") {
  sim::Finding finding;
  finding.kind = sim::FindingKind::race;
  finding.file = "a\xff.cu";  // no UTF-8
  finding.line = 7;
  const std::string text = sim::findings_text({finding, sim::Finding{}});
  const auto read = sim::findings_from(text);
  REQUIRE(read);
  REQUIRE(read->size() == 2);
  CHECK(read->front().kind == sim::FindingKind::race);
  CHECK(read->front().line == 7);
  CHECK_FALSE(sim::findings_from(std::string_view(text).substr(0, text.size() - 1)));
}

TEST_CASE("a line of a report is an object with one key") {
  sim::Finding finding;
  finding.line = 7;
  sim::KernelRecord record;
  record.name = "k";
  CHECK(json::parse(sim::report_line("finding", finding)) == json{{"finding", finding}});
  CHECK(json::parse(sim::report_line("kernel", record)).at("kernel").at("name") == "k");
  CHECK(json::parse(sim::report_line("looked_at", {{"launches", 3}, {"whole", 0}})) ==
        json::parse(R"({"looked_at": {"launches": 3, "whole": 0}})"));
}

TEST_CASE("every outcome has a name of its own that leads back to it") {
  for (int i = 0; i <= static_cast<int>(Outcome::harness_failed); ++i) {
    const auto outcome = static_cast<Outcome>(i);
    CHECK(outcome_from(to_string(outcome)) == outcome);
  }
  CHECK_THROWS_AS(outcome_from("splendid"), std::invalid_argument);
}

TEST_CASE("a finding of a kind that there is not is malformed, as any other nonsense of a rung's process") {
  CHECK(nlohmann::json{{"kind", "out-of-bounds"}}.get<sim::Finding>().kind ==
        sim::FindingKind::out_of_bounds);
  CHECK_THROWS_AS((nlohmann::json{{"kind", "bogus"}}.get<sim::Finding>()), nlohmann::json::exception);
  CHECK_THROWS_AS((nlohmann::json{{"kind", 3}}.get<sim::Finding>()), nlohmann::json::exception);
}
