// Programs in CUDA C++, explored as a person would: by their own assertions.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>

#include "grader/platform/files.h"
#include "grader/platform/process/run_process.h"
#include "tests/corpora/litmus/corpus.h"

using namespace litmus_corpus;

namespace {

struct Told {
  sim::LitmusRecord record;
  std::ptrdiff_t failing = 0;  ///< allowed outcomes
};

const std::filesystem::path kDocs = std::filesystem::path(LADDER_SOURCE_DIR) / "docs";

/// @param file  of the folder of programs, or by its whole path
Told tell(const std::filesystem::path& file, const std::vector<std::string>& options) {
  Told told{explore(LADDER_BINARY, std::filesystem::path(LITMUS_CORPUS) / "programs" / file, options)};
  told.failing = std::count_if(told.record.outcomes.begin(), told.record.outcomes.end(), [](const auto& o) {
    return o.allowed && o.verdict == sim::LitmusVerdict::fails;
  });
  return told;
}

}  // namespace

TEST_CASE("a handover without the reader's fence fails in one outcome, with it in none") {
  const Told without = tell(kDocs / "handover.cu", {});
  CHECK(without.failing == 1);
  const auto failing = std::find_if(without.record.outcomes.begin(), without.record.outcomes.end(),
                                    [](const auto& o) { return o.verdict == sim::LitmusVerdict::fails; });
  REQUIRE(failing != without.record.outcomes.end());
  CHECK(failing->said.find("Assertion `host[0] == 0 || host[1] == 42' failed") != std::string::npos);
  CHECK(failing->said.find("flag 1, message 0") != std::string::npos);
  REQUIRE(without.record.races.size() == 1);
  CHECK(without.record.races[0].line == 7);

  const Told with = tell(kDocs / "handover.cu", {"-DFENCED"});
  CHECK(with.record.refused.empty());
  CHECK(with.record.outcomes.size() > 3);
  CHECK(with.failing == 0);
}

TEST_CASE("an assertion in the kernel is an outcome's failure") {
  CHECK(tell("device_assert.cu", {"-DORDER=cuda::memory_order_relaxed"}).failing == 1);
  CHECK(tell("device_assert.cu", {"-DORDER=cuda::memory_order_release"}).failing == 0);
}

TEST_CASE("of several launches the one that is named is explored, in the state that others have left") {
  const Told told = tell("prepared.cu", {"--kernel", "kernel"});
  CHECK(told.record.kernel == "kernel");
  CHECK(told.failing == 1);
}

TEST_CASE("a cluster's scope, barrier and shared memory are explored") {
  CHECK(tell("cluster.cu", {"-arch=sm_90", "-DWRITES=\"relaxed.cluster\""}).failing == 1);
  CHECK(tell("cluster.cu", {"-arch=sm_90", "-DWRITES=\"release.cluster\""}).failing == 0);
}

TEST_CASE("what cannot be explored is refused with its reason") {
  const auto reason = [](const std::string& kernel) {
    return tell("refused.cu", {"-DKERNEL=" + kernel}).record.refused;
  };
  CHECK(reason("shuffle").find("refused.cu:5: values that threads pass") != std::string::npos);
  CHECK(reason("mixed_sizes").find("different sizes overlap") != std::string::npos);
  CHECK(reason("too_many_threads").find("too much to explore") != std::string::npos);
  CHECK(reason("votes").find("all threads vote") != std::string::npos);
  CHECK(reason("allocates").find("memory that the kernel allocates") != std::string::npos);
}

TEST_CASE("a thread that waits for what nobody writes has no execution, and is counted") {
  const Told told = tell("refused.cu", {"-DKERNEL=never_ends"});
  CHECK(told.record.refused.empty());
  CHECK(told.record.outcomes.empty());
  CHECK(told.record.given_up > 0);
}

TEST_CASE("the page shows what the program prints") {
  std::string printed;
  ladder::cli::run_process(
      {{"sh", "-c", "cd '" + kDocs.string() + "' && '" + std::string(LADDER_BINARY) + "' litmus handover.cu"},
       {{"LADDER_ROOT", LADDER_SOURCE_DIR}, {"LC_ALL", "C.UTF-8"}, {"COLUMNS", "80"}}},
      [&](std::string_view line) { printed.append(line).push_back('\n'); });
  CHECK(ladder::cli::read_file(kDocs / "litmus.md").find("```\n" + printed + "```\n") != std::string::npos);
}
