// The judge and its worker, on rungs that misbehave in every way there is without a GPU.
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/grader/judge/run_runner.h"

using namespace ladder;
using namespace ladder::test;

namespace {

std::string module(const std::string& name) { return std::string(LADDER_MODULES) + "/" + name + ".so"; }

Output run(const std::string& arguments) { return run_runner(LADDER_RUNNER, arguments); }

Output check(const std::vector<std::string>& rungs,
             const std::string& more = "--check-only --timeout 1 --memory-mb 200") {
  std::string arguments = "--lesson " + module("saxpy") + " --lesson-name saxpy " + more;
  for (const std::string& rung : rungs) arguments += " --rung " + rung + "=" + module(rung);
  return run(arguments);
}

/// A killed process that nobody has reaped yet counts as gone: whom the system gives orphans to may take its
/// time.
bool is_running(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string text;
  std::getline(file, text);
  const std::size_t end_of_name = text.rfind(')');
  return end_of_name != std::string::npos && text.compare(end_of_name + 2, 1, "Z") != 0;
}

/// Whether it ends within a few seconds.
bool ends(pid_t process) {
  for (int tries = 0; tries < 50 && is_running(process); ++tries)
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  return !is_running(process);
}

}  // namespace

TEST_CASE("every kind of misbehaviour has its verdict and its words") {
  const Expectation table[] = {
      {"right", Outcome::passed, "passed"},
      {"floods_stdout", Outcome::passed, "passed"},
      {"nothing", Outcome::wrong_values, "no element of 'out' was written"},
      {"reads_old_output", Outcome::wrong_values, "added to what it held before"},
      {"largest_with_old_output", Outcome::wrong_values, "differ, and only by what 'out' held before"},
      {"past_the_end", Outcome::wrote_outside, "out[21], but 'out' has 21 elements"},
      {"before_the_beginning", Outcome::wrote_outside, "Index -1 of 'out'"},
      {"changes_input", Outcome::input_changed, "'x' is not what it was"},
      {"segfault", Outcome::crashed, "null pointer"},
      {"crashes_on_load", Outcome::crashed, "while your file was being loaded"},
      {"exits", Outcome::exited, "exit status 0"},
      {"throws", Outcome::launch_failed, "an exception left your function: no idea"},
      {"cuda_check_throws", Outcome::launch_failed, "launch failed: invalid configuration argument"},
      {"returns_error", Outcome::launch_failed, "at most 1024 threads"},
      {"leaves_error", Outcome::launch_failed, "ask cudaGetLastError() after it"},
      {"other_parameters", Outcome::build_failed, "It has saxpy(float*, float const*, float const*, long)"},
      {"undefined", Outcome::build_failed, "your file uses helper(float*)"},
      {"forges", Outcome::crashed, "wrote into the grader's channel"},
  };
  std::vector<std::string> rungs;
  for (const Expectation& expected : table) rungs.emplace_back(expected.rung);
  const Output output = check(rungs);
  CHECK(output.status == 0);
  CHECK(output.event("done")["passed"] == 2);
  for (const Expectation& expected : table) {
    INFO(expected.rung);
    REQUIRE(output.verdicts.contains(expected.rung));
    const std::string said = output.words(expected.rung);
    INFO(said);
    CHECK(output.verdicts.at(expected.rung).outcome == expected.outcome);
    CHECK(said.find(expected.words) != std::string::npos);
  }
}

TEST_CASE("where few files may be open, no more cases are kept than there is room for") {
  std::string arguments = "--lesson " + module("saxpy") + " --lesson-name saxpy --check-only --hidden 100";
  for (const char* rung : {"right", "reads_old_output"})
    arguments += std::string(" --rung ") + rung + "=" + module(rung);
  const Output output = run_runner(std::string("ulimit -n 128; ") + LADDER_RUNNER, arguments);
  CHECK(output.verdicts.at("right").headline == "passed");
  CHECK(output.verdicts.at("reads_old_output").outcome == Outcome::wrong_values);
}

TEST_CASE("a rung that hangs or eats memory is stopped, and the next one is judged") {
  const auto begin = std::chrono::steady_clock::now();
  const Output output = check({"hangs", "eats_memory", "right"});
  CHECK(output.verdicts.at("hangs").outcome == Outcome::timed_out);
  CHECK(output.verdicts.at("hangs").headline.find("no end after 1 s") != std::string::npos);
  CHECK(output.verdicts.at("eats_memory").outcome == Outcome::out_of_memory);
  CHECK(output.verdicts.at("right").outcome == Outcome::passed);
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(15));
}

TEST_CASE("what a passing rung prints is shown, the beginning of it") {
  const Output output = check({"right", "floods_stdout"});
  const Verdict& loud = output.verdicts.at("floods_stdout");
  CHECK(loud.outcome == Outcome::passed);
  CHECK(loud.printed.size() > 1);
  CHECK(loud.printed.size() < 20);
  CHECK(loud.printed.back().find("bytes in all") != std::string::npos);
  CHECK(output.verdicts.at("right").printed.empty());
}

TEST_CASE("what a failing rung prints is shown and never believed") {
  const Output output = check({"forges"});
  CHECK(output.verdicts.at("forges").outcome != Outcome::passed);
  CHECK_FALSE(output.verdicts.at("forges").printed.empty());
  CHECK(output.event("done")["passed"] == 0);
}

TEST_CASE("a process that a rung leaves behind does not outlive the run") {
  const auto file = std::filesystem::temp_directory_path() / ("ladder_pid_" + std::to_string(getpid()));
  setenv("LADDER_TEST_PID_FILE", file.c_str(), 1);
  const Output output = check({"leaves_a_child"});
  CHECK(output.verdicts.at("leaves_a_child").outcome == Outcome::passed);
  pid_t child = 0;
  std::ifstream(file) >> child;
  std::filesystem::remove(file);
  REQUIRE(child > 0);
  CHECK(ends(child));
}

TEST_CASE("a tool around a rung's process has its last word if it is given the time") {
  const auto folder = std::filesystem::temp_directory_path() / ("ladder_tool_" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  const auto said = folder / "said", command = folder / "command.json";
  std::ofstream(command) << nlohmann::json{"sh", "-c", "\"$@\"; sleep 0.2; echo ended >>" + said.string(),
                                           "tool", LADDER_RUNNER};
  const std::string options = "--check-only --worker-command " + command.string();
  CHECK(check({"right"}, options).verdicts.at("right").outcome == Outcome::passed);
  CHECK_FALSE(std::filesystem::exists(said));
  CHECK(check({"right"}, options + " --end-seconds 20").verdicts.at("right").outcome == Outcome::passed);
  CHECK(std::filesystem::exists(said));
  std::filesystem::remove_all(folder);
}

TEST_CASE("a failing case is shrunk and printed whole") {
  const Output output = check({"nothing"});
  CHECK(output.verdicts.at("nothing").detail.find("out: expected") != std::string::npos);
  CHECK(output.verdicts.at("nothing").detail.find("n=1:") != std::string::npos);
}

TEST_CASE("a right rung is timed, with the baseline in the same run") {
  const Output output = run("--lesson " + module("saxpy") + " --rung right=" + module("right") +
                            " --baseline twin=" + module("right"));
  REQUIRE(output.verdicts.contains("right"));
  REQUIRE(output.verdicts.contains("twin"));
  for (const auto& [name, verdict] : output.verdicts) {
    INFO(name);
    REQUIRE(verdict.timing.has_value());
    CHECK(verdict.timing->samples >= 10);
    CHECK(verdict.timing->median_ms > 0);
    CHECK(verdict.timing->q1_ms <= verdict.timing->median_ms);
    CHECK(verdict.timing->median_ms <= verdict.timing->q3_ms);
    CHECK_FALSE(verdict.timing->modelled);
    CHECK(verdict.timing->gigabytes_per_s > 0);
  }
  CHECK(output.event("reference")["milliseconds"] > 0);
}

TEST_CASE("a rung of which ten launches would take long is timed by few, three at least") {
  const Output output = run("--lesson " + module("saxpy") + " --rung slow=" + module("slow"));
  REQUIRE(output.verdicts.at("slow").timing.has_value());
  const Timing& timing = *output.verdicts.at("slow").timing;
  CHECK(timing.samples >= 3);
  CHECK(timing.samples <= 4);  // three take five seconds; the last is the one that was compared
  CHECK(timing.q1_ms >= 1'700);
  CHECK(timing.q1_ms <= timing.median_ms);
  CHECK(timing.median_ms <= timing.q3_ms);
}

TEST_CASE("after the verdicts, rungs and baselines are timed at the lesson's further sizes") {
  const Output output = run("--lesson " + module("saxpy") + " --rung right=" + module("right") +
                            " --rung other=" + module("right") + " --rung wrong=" + module("nothing") +
                            " --baseline twin=" + module("right"));
  CHECK(output.event("size")["size"] == "n=65536");
  std::map<std::string, std::string> sizes;
  for (const auto& event : output.events)
    if (event["event"] == "timed") sizes[event["rung"]] = event["timing"]["size"];
  // Neither the wrong rung nor the one without a further size is there.
  CHECK(sizes == std::map<std::string, std::string>{{"right", "n=65536"}, {"twin", "n=65536"}});
}

TEST_CASE("a rung is held to the cases that apply to it, and timed at the first of them") {
  const Output output = run("--lesson " + module("saxpy") + " --rung right=" + module("right") +
                            " --rung other=" + module("right") + " --baseline other=" + module("right"));
  CHECK(output.verdicts.at("right").timing.value().size == "n=262144");
  CHECK(output.verdicts.at("right").cases_total == 9);
  CHECK(output.verdicts.at("other").timing.value().size == "other, n=131072");
  CHECK(output.verdicts.at("other").cases_passed == 2);
  CHECK(output.verdicts.at("other").cases_total == 2);
  CHECK(output.verdicts.at("other").timing.value().size == "other, n=131072");
  CHECK(output.event("device")["time_size"] == "");  // there is no size in common
}

TEST_CASE("a rung that works only until it is timed is caught") {
  for (const char* rung : {"caches", "fills_in_later"}) {
    const Output output = check({rung}, "--timeout 5");
    CHECK(output.verdicts.at(rung).outcome == Outcome::wrong_values);
    CHECK(output.verdicts.at(rung).headline.find("timed launches") != std::string::npos);
  }
}

TEST_CASE("a rung that needs a newer device says so and is no pass") {
  const Output output =
      run("--check-only --lesson " + module("saxpy") + " --rung new=" + module("right") + "@9.0");
  CHECK(output.verdicts.at("new").outcome == Outcome::not_run);
  CHECK(output.verdicts.at("new").headline ==
        "needs compute capability 9.0: yours is 8.0; this rung was not run");
  CHECK(output.verdicts.at("new").advice == "The simulator has a GPU that runs it: add --device sim.");
}

TEST_CASE("a rung with instructions of one device says so on a newer one, too") {
  const Output output =
      run("--check-only --lesson " + module("saxpy") + " --rung old=" + module("right") + "@7.5a");
  CHECK(output.verdicts.at("old").outcome == Outcome::not_run);
  CHECK(output.verdicts.at("old").headline ==
        "needs compute capability 7.5 and no other: yours is 8.0; this rung was not run");
}

TEST_CASE("the same seed gives the same failing case, and another another") {
  const auto failure = [](const std::string& seed) {
    return check({"nothing"}, "--check-only --seed " + seed).verdicts.at("nothing").detail;
  };
  CHECK(failure("5") == failure("5"));
  CHECK(failure("5") != failure("6"));
  CHECK(check({"nothing"}).event("device")["seed"] != check({"nothing"}).event("device")["seed"]);
}

TEST_CASE("of an exception of megabytes a verdict keeps 4 KiB") {
  const Output output = check({"throws_a_novel"}, "--check-only");
  CHECK(output.verdicts.at("throws_a_novel").outcome == Outcome::launch_failed);
  CHECK(output.words("throws_a_novel").find("once upon a time") != std::string::npos);
  CHECK(output.words("throws_a_novel").find("(cut)") != std::string::npos);
  CHECK(output.words("throws_a_novel").size() < 6000);
}

TEST_CASE("a seed in the environment is taken, and the rung's process does not inherit it") {
  ::setenv("LADDER_SEED", "5", 1);
  const Output output = check({"prints_environment"});
  ::unsetenv("LADDER_SEED");
  CHECK(output.event("device")["seed"] == 5);
  CHECK(output.words("prints_environment").find("PATH is set") != std::string::npos);
  CHECK(output.words("prints_environment").find("LADDER_SEED") == std::string::npos);
}

TEST_CASE("quick cases leave the large ones out") {
  const auto cases = [](const std::string& which) {
    return check({"right"}, "--check-only --cases " + which).event("device")["cases"];
  };
  CHECK(cases("all") == 8);
  CHECK(cases("quick") == 7);
}

TEST_CASE("a wrong command line and a missing lesson are refused in words") {
  CHECK(run("").status == 2);
  CHECK(run("--lesson").status == 2);
  CHECK(run("--lesson x.so --rung y").status == 2);
  for (const char* seed : {"abc", "12abc", "-1", "1e3", "99999999999999999999"})
    CHECK(run("--check-only --lesson " + module("saxpy") + " --rung right=" + module("right") + " --seed " +
              seed)
              .status == 2);
  const Output output = run("--lesson /nowhere.so --rung a=/nowhere.so");
  CHECK(output.status == 2);
  CHECK(output.event("error")["message"].get<std::string>().find("cannot be loaded") != std::string::npos);
  CHECK(run("--check-only --lesson " + module("saxpy") + " --rung a=/nowhere.so").verdicts.at("a").outcome ==
        Outcome::build_failed);
}
