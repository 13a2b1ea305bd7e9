// Verdicts on wrong kernels in simplified Chinese: from the simulator's process to what a student reads.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cstdlib>
#include <filesystem>

#include "tests/grader/judge/run_runner.h"

using namespace ladder;
using namespace ladder::test;
using Catch::Matchers::ContainsSubstring;
namespace fs = std::filesystem;

namespace {

Output judged(const char* language) {
  ::setenv("LADDER_LANG", language, 1);
  const fs::path built = LADDER_MODULES;
  std::string arguments =
      "--check-only --cases quick --seed 1 --lesson " + (built / "05_transpose" / "lesson.so").string();
  for (const char* name : {"no_barrier", "no_guard", "tile_stays"})
    arguments += std::string(" --rung ") + name + "=" +
                 (built / "tests/mutants/05_transpose" / (std::string(name) + ".so")).string();
  return run_runner(LADDER_RUNNER, arguments);
}

}  // namespace

TEST_CASE("verdicts come in the language that is wanted, and what programs read of them stays as it is") {
  const Output english = judged("C"), chinese = judged("zh_CN");
  REQUIRE(english.verdicts.size() == 3);
  REQUIRE(chinese.verdicts.size() == 3);
  for (const auto& [rung, verdict] : english.verdicts) {
    const Verdict& other = chinese.verdicts.at(rung);
    INFO(chinese.words(rung));
    CHECK(other.outcome == verdict.outcome);
    CHECK(other.diagnosis == verdict.diagnosis);
    CHECK(other.headline != verdict.headline);
    REQUIRE(other.findings.size() == verdict.findings.size());
    for (std::size_t i = 0; i < verdict.findings.size(); ++i) {
      CHECK(other.findings[i].kind == verdict.findings[i].kind);
      CHECK(other.findings[i].line == verdict.findings[i].line);
      CHECK(other.findings[i].symbol == verdict.findings[i].symbol);
      CHECK(other.findings[i].cure.kind == verdict.findings[i].cure.kind);
    }
  }
  CHECK_THAT(english.words("no_barrier"), ContainsSubstring("race in shared memory: tile["));
  CHECK_THAT(chinese.words("no_barrier"),
             ContainsSubstring("数据竞争，共享内存: tile[") &&
                 ContainsSubstring("通常的改法：在两次访问之间加 __syncthreads()"));
  CHECK_THAT(chinese.words("no_guard"),
             ContainsSubstring("越界，全局内存: in[") && ContainsSubstring("读取 in["));
  CHECK_THAT(chinese.words("tile_stays"), ContainsSubstring("值错误：") && ContainsSubstring("应为"));
}
