// The grader's word on deliberately bad rungs, run on the simulator.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "grader/protocol/protocol.h"
#include "simulator/remote/board.h"
#include "tests/grader/judge/run_runner.h"

using namespace ladder;
using namespace ladder::test;

namespace {

constexpr Expectation kTable[] = {
    {"right", Outcome::passed, "passed"},
    {"right_grid_stride", Outcome::passed, "passed"},
    {"right_two_kernels", Outcome::passed, "passed"},
    {"right_shared", Outcome::passed, "passed"},
    {"right_registered", Outcome::passed, "passed"},
    {"right_host_function", Outcome::passed, "passed"},
    {"right_keeps_a_workspace", Outcome::passed, "passed"},
    {"right_blocking_stream", Outcome::passed, "passed"},
    {"right_looks_back", Outcome::passed, "passed"},
    {"right_graph_by_hand", Outcome::passed, "passed"},
    {"prints_without_end", Outcome::passed, "passed"},

    {"launches_nothing", Outcome::wrong_values, "no element of 'out' was written"},
    {"writes_nothing", Outcome::wrong_values, "no element of 'out' was written"},
    {"graph_without_an_edge", Outcome::wrong_values, "every element of 'out' is 0"},
    {"writes_zero", Outcome::wrong_values, "every element of 'out' is 0"},
    {"writes_nan", Outcome::wrong_values, "NaN"},
    {"skips_the_tail", Outcome::wrong_values, "never written"},
    {"no_block_offset", Outcome::wrong_values, "blockIdx.x * blockDim.x"},
    {"wrong_stride", Outcome::wrong_values, "every 2nd element of 'out' was never written"},
    {"half_precision", Outcome::wrong_values, "only as exact as half precision"},
    {"adds_to_output", Outcome::wrong_values, "added to what it held before"},
    {"no_barrier", Outcome::wrong_values, "out"},
    {"counts_across_calls", Outcome::wrong_values,
     "right in the first call of a process and wrong in a later"},
    {"remembers_by_address", Outcome::wrong_values, "with the same arrays and other values in them"},
    {"changes_input", Outcome::input_changed, "'x' is not what it was"},

    {"wrong_then_outside", Outcome::finding, "Values are wrong, too"},
    {"writes_when_empty", Outcome::finding, "no elements in this case"},
    {"no_guard", Outcome::finding, "out-of-bounds"},
    {"guard_off_by_one", Outcome::finding, "out-of-bounds"},
    {"reads_past_the_end", Outcome::finding, "out-of-bounds"},
    {"graph_reads_past_the_end", Outcome::finding, "out-of-bounds"},
    {"null_in_kernel", Outcome::finding, "null"},
    {"use_after_free", Outcome::finding, "free"},
    {"misaligned", Outcome::finding, "misaligned"},
    {"traps", Outcome::finding, "__trap()"},
    {"host_reads_too_early", Outcome::finding, "race"},
    {"copies_too_much", Outcome::finding, "do not fit"},
    {"copies_too_much", Outcome::finding, "memcpy at copies_too_much.cu:12"},

    {"block_of_5000", Outcome::launch_failed, "1024"},
    {"block_of_5000_checked", Outcome::launch_failed, "1024"},
    {"empty_grid", Outcome::launch_failed, "Every extent of a grid must be at least 1"},
    {"loses_the_launch_error", Outcome::finding, "an error is lost: the launch of saxpy_kernel failed"},
    {"returns_error", Outcome::launch_failed, "cudaErrorNotSupported"},
    {"throws", Outcome::launch_failed, "too long for me"},
    {"resets_the_device", Outcome::finding, "belong to the caller"},
    {"frees_the_output", Outcome::launch_failed, "belong to the caller"},
    {"leaks_memory", Outcome::finding, "leak: cudaMalloc()"},
    {"leaks_a_stream", Outcome::finding, "leak: cudaStreamCreate()"},
    {"leaks_a_graph", Outcome::finding, "leak: cudaGraphInstantiate()"},
    {"returns_too_early", Outcome::finding, "The call returned while kernel saxpy_kernel was under way"},
    {"waits_for_all_blocks", Outcome::timed_out, "waits here for a block that starts after it"},
    {"looks_ahead", Outcome::timed_out, "waits here for a block that starts after it"},
    {"huge_allocation", Outcome::out_of_memory, "More memory was asked for"},
    {"malloc_unchecked", Outcome::out_of_memory, "an allocation in it had failed and nobody looked"},
    {"eats_memory", Outcome::out_of_memory, "MiB of host memory"},

    {"host_dereference", Outcome::crashed, "host code dereferenced the device pointer"},
    {"host_null", Outcome::crashed, "null pointer"},
    {"divides_by_zero", Outcome::crashed, "divided by zero"},
    {"aborts", Outcome::crashed, "only tiny inputs"},
    {"exits", Outcome::exited, "exit status 0"},
    {"host_loop", Outcome::timed_out, "no end after"},
    {"kernel_loop", Outcome::timed_out, "kernel_loop.cu:7"},
    {"all_work_in_every_block", Outcome::timed_out, "each element is stored"},
    {"other_name", Outcome::build_failed,
     "your file does not define saxpy(float*, float const*, float const*, int)"},
    {"prints_a_verdict", Outcome::wrong_values, "no element of 'out' was written"},
    {"forges_on_all_descriptors", Outcome::crashed, "wrote into the grader's channel"},
};

Output judge_all(const std::string& where) {
  // A kernel without end is to be found by its instructions, not by the clock: a sanitized build is slow.
  setenv("LADDER_SIM_INSTRUCTION_LIMIT", "1000000", 1);
  std::string arguments =
      where + std::string("--check-only --timeout 4 --memory-mb 400 --lesson ") + LADDER_TEST_LESSON;
  for (const Expectation& expected : kTable)
    arguments += std::string(" --rung ") + expected.rung + "=" + LADDER_MODULES + "/" + expected.rung + ".so";
  return run_runner(LADDER_RUNNER, arguments);
}

}  // namespace

TEST_CASE("every mutant gets the verdict it deserves, and the grader goes on") {
  // In the process that simulates, or in one that has to ask for everything.
  const std::string where = GENERATE("", "--apart ");
  const Output output = judge_all(where);
  CHECK(output.status == 0);
  for (const Expectation& expected : kTable) {
    INFO(expected.rung);
#ifdef __SANITIZE_ADDRESS__
    // The sanitizer's heap lies at the same addresses in both processes: one cannot show the other its own.
    if (!where.empty() && expected.rung == std::string("right_registered")) continue;
#endif
    REQUIRE(output.verdicts.contains(expected.rung));
    const std::string said = output.words(expected.rung);
    INFO(said);
    CHECK(to_string(output.verdicts.at(expected.rung).outcome) == std::string(to_string(expected.outcome)));
    CHECK(said.find(expected.words) != std::string::npos);
  }
}

TEST_CASE("a rung that hangs while it is loaded is stopped") {
  const Output output =
      run_runner(LADDER_RUNNER, std::string("--check-only --timeout 1 --lesson ") + LADDER_TEST_LESSON +
                                    " --rung a=" + LADDER_MODULES + "/runs_forever_on_load.so");
  CHECK(output.verdicts.at("a").outcome == Outcome::timed_out);
  CHECK(output.words("a").find("while your file was being loaded") != std::string::npos);
}

TEST_CASE(
    "where the simulator is another process, a rung can neither take its findings away nor set its clock") {
  unsetenv("LADDER_SIM_INSTRUCTION_LIMIT");
  const Output output =
      run_runner(LADDER_RUNNER, std::string("--apart --lesson ") + LADDER_TEST_LESSON + " --rung silent=" +
                                    LADDER_MODULES + "/silences_findings.so --rung quick=" + LADDER_MODULES +
                                    "/stops_the_clock.so --rung right=" + LADDER_MODULES + "/right.so");
  CHECK(output.verdicts.at("silent").outcome == Outcome::finding);
  CHECK(output.words("silent").find("silences_findings.cu") != std::string::npos);
  // One thread for all elements: many times the time of the right one, whatever it says.
  REQUIRE(output.verdicts.at("quick").timing.has_value());
  CHECK(output.verdicts.at("quick").timing->median_ms > 10 * output.verdicts.at("right").timing->median_ms);
}

TEST_CASE("where the simulator is another process, graphs do not copy pageable memory, and it says so") {
  for (const char* rung : {"graph_of_pageable_memory", "captures_pageable_memory"}) {
    INFO(rung);
    const std::string rest = std::string("--check-only --lesson ") + LADDER_TEST_LESSON + " --rung " + rung +
                             "=" + LADDER_MODULES + "/" + rung + ".so";
    CHECK(run_runner(LADDER_RUNNER, rest).verdicts.at(rung).outcome == Outcome::passed);
    const Output apart = run_runner(LADDER_RUNNER, "--apart " + rest);
    CHECK(apart.verdicts.at(rung).outcome == Outcome::not_run);
    CHECK(apart.words(rung).find("pageable memory are not simulated in graphs") != std::string::npos);
  }
}

TEST_CASE("every file of the corpus is in the table") {
  std::set<std::string> listed{"runs_forever_on_load", "silences_findings", "stops_the_clock",
                               "graph_of_pageable_memory", "captures_pageable_memory"};
  for (const Expectation& expected : kTable) listed.insert(expected.rung);
  for (const auto& entry : std::filesystem::directory_iterator(LADDER_MODULES))
    if (entry.path().extension() == ".so") {
      INFO(entry.path());
      CHECK(listed.contains(entry.path().stem()));
    }
}

TEST_CASE("a right rung on the simulator has a modelled time and its kernels' counters") {
  const std::string where = GENERATE("", "--apart ");
  const Output output = run_runner(LADDER_RUNNER, where + "--lesson " + LADDER_TEST_LESSON +
                                                      " --rung right=" + LADDER_MODULES + "/right.so");
  const Verdict& verdict = output.verdicts.at("right");
  INFO(output.words("right"));
  REQUIRE(verdict.timing.has_value());
  CHECK(verdict.timing->modelled);
  CHECK(verdict.timing->median_ms > 0);
  REQUIRE(verdict.kernels.size() == 1);
  CHECK(verdict.kernels[0].name == "saxpy_kernel");
  CHECK(verdict.kernels[0].counters.global_store_requests == (1 << 18) / 32);
  CHECK(output.event("device")["modelled"] == true);
  // Of the H200 that is modelled: half the rate in double precision, Tensor Cores above both, and by wgmma
  // more.
  const nlohmann::json& peaks = output.event("peaks");
  CHECK(peaks["fp64_gflops"].get<double>() == peaks["fp32_gflops"].get<double>() / 2);
  CHECK(peaks["tensor_gflops"].get<double>() > 5 * peaks["fp32_gflops"].get<double>());
  CHECK(peaks["warpgroup_gflops"].get<double>() > peaks["tensor_gflops"].get<double>());
}

TEST_CASE("a rung's process whose judge and simulator were killed ends, though nobody is left to tell it") {
  int ends[2];
  REQUIRE(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0);
  const pid_t worker = ::fork();
  REQUIRE(worker >= 0);
  if (worker == 0) {
    if (::fork() != 0) {  // its parent stays, so that no signal of the kernel ends it
      int status = 0;
      ::close(ends[0]), ::close(ends[1]);
      ::wait(&status);
      ::_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 99);
    }
    const auto give = [](int fd, int as) { return ::dup2(::fcntl(fd, F_DUPFD_CLOEXEC, 20), as) == as; };
    const auto memory = [](std::size_t bytes) {
      const int fd = ::memfd_create("test", MFD_CLOEXEC);
      return ::ftruncate(fd, static_cast<off_t>(bytes)) == 0 ? fd : -1;
    };
    const int page = memory(4096), board = memory(sizeof(sim::remote::Board)), host = memory(1 << 20);
    if (!give(ends[1], 30) || !give(page, 31) || !give(board, 32) || !give(host, 33)) ::_exit(98);
    if (!give(30, kChannelFd) || !give(31, kLastWordsFd) || !give(32, sim::remote::kBoardFd) ||
        !give(33, sim::remote::kHostMemoryFd))
      ::_exit(98);
    const auto runner = std::filesystem::path(LADDER_RUNNER).replace_filename("runner-apart");
    ::execl(runner.c_str(), runner.c_str(), "--worker", "--lesson", LADDER_TEST_LESSON, nullptr);
    ::_exit(97);
  }
  ::close(ends[1]);
  ::usleep(500'000);
  CHECK(::waitpid(worker, nullptr, WNOHANG) == 0);  // it waits for the first answer
  ::close(ends[0]);
  int status = 0;
  for (int i = 0; i < 100 && ::waitpid(worker, &status, WNOHANG) == 0; ++i) ::usleep(100'000);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 1);
}
