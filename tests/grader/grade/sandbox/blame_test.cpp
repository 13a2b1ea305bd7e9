// Whose fault it is that a file did not compile.
#include "grader/grade/sandbox/blame.h"

#include <catch2/catch_test_macros.hpp>

using namespace ladder::cli;
using namespace ladder::cli::grade;

namespace {

const std::string kError = "lessons/03_rgb_to_gray/1_one_row.cu(3): error: identifier \"q\" is undefined";

CompilerCall failed(std::vector<std::string> lines) { return {true, false, {1, 0, 0.4}, std::move(lines)}; }
Blame blame_of(const CompilerCall& call) { return blame(call, false, Limits{}); }

}  // namespace

TEST_CASE("an error at a line is the file's, be it the student's file or a header that it includes") {
  CHECK(blame_of(failed({kError})) == Blame::file);
  CHECK(blame_of(failed({"/usr/include/c++/12/bits/x.h:45:3: error: no match"})) == Blame::file);
  CHECK(blame_of(failed({"/tmp/x.s:12: Error: file not found: secret"})) == Blame::file);
}

TEST_CASE("a compiler that could not start its parts, or found no room, is nobody's verdict") {
  CHECK(blame_of(failed(
            {"gcc: fatal error: cannot execute 'cc1plus': vfork: Resource temporarily unavailable"})) ==
        Blame::unknown);
  CHECK(blame_of(failed({"nvcc error   : 'cicc' died due to signal 9 (Kill signal)"})) == Blame::unknown);
  CHECK(blame_of(failed({"g++: fatal error: Killed signal terminated program cc1plus"})) == Blame::unknown);
  CHECK(blame_of(failed({"x.cu:1:10: fatal error: common/grid.h: Cannot allocate memory"})) ==
        Blame::unknown);
  CHECK(blame_of(failed({"/usr/bin/ld: final link failed: No space left on device"})) == Blame::unknown);
  CHECK(blame_of(failed({})) == Blame::unknown);
}

TEST_CASE("compile time is CPU time: a file that took it all is to blame, a machine that gave none is") {
  CompilerCall bomb = failed({"nvcc error   : 'cicc' died due to signal 9 (Kill signal)"});
  bomb.status.cpu_seconds = Limits{}.compile_seconds + 0.2;
  CHECK(blame_of(bomb) == Blame::file);
  const CompilerCall starved = {true, true, {124, 0, 3.0}, {}};
  CHECK(blame_of(starved) == Blame::machine);
  CHECK(trouble(starved).find("busy") != std::string::npos);
}

TEST_CASE("where no cell was made the machine is to blame, whatever the code of exit") {
  CHECK(blame_of(
            {false, false, {1, 0, 0}, {"bwrap: Creating new namespace failed: No space left on device"}}) ==
        Blame::machine);
}

TEST_CASE("a compiler that ends well without a product has to be asked again") {
  CHECK(blame({true, false, {0, 0, 1}, {}}, true, Limits{}) == Blame::nobody);
  CHECK(blame({true, false, {0, 0, 1}, {}}, false, Limits{}) == Blame::unknown);
}
