#include "grader/platform/process/run_process.h"
#include "grader/platform/process/open_files.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "grader/platform/failure.h"
#include "grader/platform/files.h"
#include "tests/grader/platform/process/soon.h"
#include "tests/grader/support/sample.h"

using namespace ladder::cli;
using namespace ladder::test;
using ladder::ExitStatus;
using namespace std::chrono_literals;

namespace {

std::vector<std::string> output_of(const std::string& script) {
  std::vector<std::string> lines;
  run_process({{"sh", "-c", script}, {}}, [&](std::string_view line) { lines.emplace_back(line); });
  return lines;
}

}  // namespace

TEST_CASE("a process's lines come whole, its last one also without a newline") {
  CHECK(output_of("printf 'a\\nb'; printf 'c\\nd' >&2") == std::vector<std::string>{"a", "bc", "d"});
}

TEST_CASE("exit codes and signals are told apart") {
  CHECK(run_process({{"sh", "-c", "exit 7"}, {}}, nullptr).code == 7);
  CHECK(run_process({{"sh", "-c", "kill -9 $$"}, {}}, nullptr).signal == SIGKILL);
  CHECK(run_process({{"true"}, {}}, nullptr).ok());
}

TEST_CASE("results come over a pipe of their own") {
  std::vector<std::string> results, output;
  run_process(
      {{"sh", "-c", "echo noise; echo '{}' >&$0", "{result-fd}"}, {}},
      [&](std::string_view line) { output.emplace_back(line); },
      [&](std::string_view line) { results.emplace_back(line); });
  CHECK(output == std::vector<std::string>{"noise"});
  CHECK(results == std::vector<std::string>{"{}"});
}

TEST_CASE("a result of several MiB comes in one piece, a printed line of that length does not") {
  constexpr std::size_t kLength = 5u << 20;
  const std::string long_line = "head -c 5242880 /dev/zero | tr '\\0' x; echo";
  std::size_t printed = 0;
  std::vector<std::size_t> results;
  const ExitStatus status = run_process(
      {{"sh", "-c", "(" + long_line + ") >&$0; " + long_line, "{result-fd}"}, {}},
      [&](std::string_view) { ++printed; }, [&](std::string_view line) { results.push_back(line.size()); });
  CHECK(status.ok());
  CHECK(results == std::vector<std::size_t>{kLength});
  CHECK(printed > 1);
}

TEST_CASE("a program that is not there is named") {
  CHECK_THROWS_WITH(run_process({{"/no/such/program"}, {}}, nullptr),
                    "cannot start /no/such/program: No such file or directory");
  CHECK(capture({"/no/such/program"}).status.code == 127);
}

TEST_CASE("a process gets its own environment and no terminal") {
  std::string value;
  run_process({{"sh", "-c", "echo $LADDER_X; cat"}, {{"LADDER_X", "1"}}},
              [&](std::string_view line) { value = line; });
  CHECK(value == "1");
}

TEST_CASE("what a process leaves running is ended with it, and does not keep us waiting") {
  const sample::Tree tree;
  const auto file = tree.project.root / "pid";
  const auto start = std::chrono::steady_clock::now();
  output_of("sleep 30 & echo $! > " + file.string());
  CHECK(std::chrono::steady_clock::now() - start < 5s);
  const pid_t left = pid_in(file);
  REQUIRE(left > 0);
  CHECK(soon([&] { return gone(left); }));
}

TEST_CASE("an exception in a sink ends the process") {
  const sample::Tree tree;
  const auto file = tree.project.root / "pid";
  const auto throwing = [](std::string_view) { throw std::runtime_error("no"); };
  CHECK_THROWS_AS(
      run_process({{"sh", "-c", "echo $$ > " + file.string() + "; echo line; sleep 30"}, {}}, throwing),
      std::runtime_error);
  CHECK(soon([&] { return gone(pid_in(file)); }));
}

TEST_CASE("Ctrl-C ends the whole group and is reported as an interruption") {
  const sample::Tree tree;
  const auto file = tree.project.root / "pid";
  const pid_t child = ::fork();
  if (child == 0) {
    try {
      // The grandchild ignores the polite signal.
      run_process(
          {{"sh", "-c",
            "sh -c 'trap \"\" TERM INT; echo $$ > " + file.string() + "; while :; do sleep 1; done' & wait"},
           {}},
          nullptr);
      ::_exit(1);
    } catch (const Failure& failure) {
      ::_exit(static_cast<int>(failure.code()));
    }
  }
  REQUIRE(soon([&] { return pid_in(file) > 0; }));
  ::kill(child, SIGINT);
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK(WEXITSTATUS(status) == 130);
  CHECK(soon([&] { return gone(pid_in(file)); }));
}

TEST_CASE("children do not outlive a ladder that is killed outright") {
  const sample::Tree tree;
  const auto file = tree.project.root / "pid";
  const pid_t child = ::fork();
  if (child == 0) {
    run_process({{"sh", "-c", "echo $$ > " + file.string() + "; exec sleep 30"}, {}}, nullptr);
    ::_exit(0);
  }
  REQUIRE(soon([&] { return pid_in(file) > 0; }));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  CHECK(soon([&] { return gone(pid_in(file)); }));
}

TEST_CASE("a tight limit on open files is widened as far as it may be") {
  std::vector<std::string> counts;
  run_apart(
      [](const Sender& send) {
        const rlimit tight{32, 512};
        ::setrlimit(RLIMIT_NOFILE, &tight);
        const std::size_t allowed = allow_open_files(400);
        rlimit now{};
        ::getrlimit(RLIMIT_NOFILE, &now);
        send(std::to_string(allowed)), send(std::to_string(now.rlim_cur));
      },
      60, nullptr, [&](std::string_view line) { counts.emplace_back(line); });
  CHECK(counts == std::vector<std::string>{"400", "400"});
}

TEST_CASE("a limit on open files that is too tight and stays so is told, with the remedy") {
  std::string said;
  const ExitStatus status = run_apart(
      [](const Sender&) {
        const rlimit tight{16, 16};
        ::setrlimit(RLIMIT_NOFILE, &tight);
        if (::geteuid() == 0 && ::setresuid(65534, 65534, 65534) != 0) return;  // root may widen it
        need_open_files(32, "running a rung");
      },
      60, [&](std::string_view line) { said += line; }, nullptr);
  CHECK(status.code == 1);
  CHECK(said == "only 16 files may be open at a time, and running a rung needs 32");
}

TEST_CASE("what is done in a process of its own comes back line by line") {
  std::vector<std::string> answers;
  const ExitStatus status =
      run_apart([](const Sender& send) { send("one"), send(std::string(300'000, 'x')), send("three"); }, 60,
                nullptr, [&](std::string_view line) { answers.emplace_back(line); });
  CHECK(status.ok());
  REQUIRE(answers.size() == 3);
  CHECK(answers[1].size() == 300'000);
}

namespace {
int deeper(volatile int* depth) {
  int frame[1000] = {*depth};
  volatile int* const next = frame;
  *next = *depth + 1;
  return *depth < 0 ? 0 : deeper(next) + *next;  // never below 0: it ends with the stack
}
}  // namespace

TEST_CASE("what crashes, throws or never ends in a process of its own happens to nobody else") {
  const auto outcome = [](const std::function<void(const Sender&)>& work, std::string* said = nullptr) {
    return run_apart(
        work, 2,
        [&](std::string_view line) {
          if (said != nullptr) *said += line;
        },
        nullptr);
  };
  ::signal(SIGSEGV, SIG_DFL);  // a sanitizer, or Catch2, would answer it
  CHECK(outcome([](const Sender&) { ::raise(SIGSEGV); }).signal == SIGSEGV);
  CHECK(outcome([](const Sender&) {
          volatile int depth = 0;
          deeper(&depth);
        }).signal == SIGSEGV);
  std::string said;
  CHECK(outcome([](const Sender&) { throw std::runtime_error("no such luck"); }, &said).code == 1);
  CHECK(said == "no such luck");
  CHECK(outcome([](const Sender&) {
          for (;;) ::pause();
        }).signal == SIGKILL);
  CHECK(outcome([](const Sender&) { run_process({{"sleep", "100"}, {}}, nullptr); }).signal == SIGKILL);
  CHECK(output_of("echo still here") == std::vector<std::string>{"still here"});
}
