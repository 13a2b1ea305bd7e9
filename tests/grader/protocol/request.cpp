#include "grader/protocol/request.h"

#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <map>
#include <set>

#include "grader/protocol/events.h"

using namespace ladder;
using List = std::vector<std::string>;

namespace {

/// As a runner's command line does.
RunRequest read_words(const List& words) {
  std::map<std::string, const RequestOption*> by_name;
  for (const RequestOption& option : request_options()) by_name[option.name] = &option;
  RunRequest request;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const RequestOption& option = *by_name.at(words[i]);
    option.read(request, option.value.empty() ? "" : words.at(++i));
  }
  return request;
}

template <class Kind>
Kind there_and_back(const Event& event) {
  return std::get<Kind>(event_from(to_line(event)).value());
}

}  // namespace

TEST_CASE("a request that wants nothing special has no words for it") {
  RunRequest request;
  request.lesson_path = "/l.so";
  request.rungs = {RungSpec::of("1_a", "/m=1.so")};
  CHECK(to_words(request) == List{"--lesson", "/l.so", "--rung", "1_a=/m=1.so"});
}

TEST_CASE("every option of a request is read as it was written") {
  RunRequest request;
  request.lesson_path = "/l.so";
  request.lesson_name = "09_reduction";
  request.rungs = {RungSpec::of("1_a", "/a.so"), RungSpec::of("2_b", "/b.so", "9.0a")};
  request.baselines = {RungSpec::of("cub", "/cub.so")};
  request.check_only = request.quick = request.apart.apart = true;
  request.hidden = 3;
  request.seed = 9007199254740991;
  request.limits.call_seconds = 0.25;
  request.limits.rung_seconds = 100;
  request.limits.end_seconds = 1;
  request.limits.memory_mb = 12345678;
  request.peaks_file = "/peaks.json";
  request.peaks_module = "/peaks.so";
  const auto file = [](const char* name) { return std::filesystem::temp_directory_path() / name; };
  request.limits.command.add({"bwrap", "--"});
  request.limits.command.groups.push_back({"--bind", WorkerCommand::kFolder});
  request.limits.command.write(file("ladder-request-worker.json"));
  request.apart.simulator_command.add({"simulate"});
  request.apart.simulator_command.write(file("ladder-request-simulator.json"));

  const List words = to_words(request);
  std::set<std::string> used(words.begin(), words.end());
  for (const RequestOption& option : request_options()) CHECK(used.contains(option.name));
  const RunRequest again = read_words(words);
  CHECK(to_words(again) == words);
  CHECK(again.rungs.at(1).needs_major == 9);
  CHECK(again.rungs.at(1).exactly);
  CHECK(again.limits.memory_mb == 12345678);
  CHECK(again.limits.call_seconds == 0.25);
  CHECK(again.seed == request.seed);
  CHECK(again.limits.command.groups == request.limits.command.groups);
  for (const auto& command : {request.limits.command, request.apart.simulator_command})
    std::filesystem::remove(command.file);
}

TEST_CASE("what is no number, module or choice is refused") {
  for (const List& words :
       {List{"--timeout", "soon"}, List{"--timeout", "-1"}, List{"--seed", "1.5"}, List{"--cases", "some"},
        List{"--rung", "alone"}, List{"--rung", "a=b.so@"}, List{"--rung", "a=b.so@new"}})
    CHECK_THROWS_AS(read_words(words), std::invalid_argument);
}

TEST_CASE("events are read as they were written") {
  const auto device = there_and_back<RunDevice>(
      RunDevice{"H200", "simulator", "9.0", true, 9007199254740991, 3, "n=8", "09_reduction"});
  CHECK(device.kind == "simulator");
  CHECK(device.seed == 9007199254740991);
  CHECK(device.modelled);
  CHECK(there_and_back<PeakRates>(PeakRates{.tensor = 7}).tensor == 7);
  CHECK(there_and_back<PeakRates>(PeakRates{.warpgroup = 8}).warpgroup == 8);
  CHECK(there_and_back<event::Error>(event::Error{"no"}).message == "no");
  CHECK(there_and_back<event::RungStarted>(event::RungStarted{"1_a", 4}).cases_total == 4);
  const auto done = there_and_back<event::CaseDone>(event::CaseDone{"1_a", "n=\xe9", 2, 4, true});
  CHECK(done.label == "n=\ufffd");  // what is no UTF-8
  CHECK(done.index == 2);
  CHECK(done.passed);
  CHECK(there_and_back<event::Sampling>(event::Sampling{"1_a", "n=8", 10, 0.5, 0.01}).median_ms == 0.5);
  Verdict verdict;
  verdict.rung = "1_a";
  verdict.outcome = Outcome::passed;
  CHECK(there_and_back<event::Judged>(event::Judged{verdict}).verdict.outcome == Outcome::passed);
  CHECK(there_and_back<event::Timed>(event::Timed{verdict}).verdict.rung == "1_a");
  CHECK(there_and_back<event::Done>(event::Done{2, 1}).passed == 1);
}

TEST_CASE("of events what is missing has its default, and what is not known is left out") {
  CHECK(std::get<event::CaseDone>(*event_from(R"({"event":"case","rung":"1_a","more":1})")).total == 0);
  CHECK_FALSE(event_from(R"({"event":"weather"})").has_value());
  CHECK_THROWS_AS(event_from("no JSON"), std::invalid_argument);
  CHECK_THROWS(event_from(R"({"event":"rung","outcome":"splendid"})"));
}
