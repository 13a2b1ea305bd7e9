// Small programs with one defect each, and correct ones that look as if they had one.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "tests/corpora/programs/corpus.h"

namespace {

void check_all(bool defective, std::size_t at_least, const std::vector<std::string>& files = {}) {
  std::size_t number = 0;
  for (const corpus::Program& program : corpus::read_programs(LADDER_CORPUS)) {
    if (program.defective() != defective) continue;
    if (!files.empty() && std::find(files.begin(), files.end(), program.file) == files.end()) continue;
    ++number;
    const corpus::Run run = corpus::run(LADDER_BINARY, LADDER_CORPUS, program);
    const corpus::Judgement judgement = corpus::judge(program, run);
    INFO(program.file << ": " << program.name);
    INFO(run.output);
    CHECK(judgement.accusations == std::vector<std::string>{});
    if (defective) CHECK((judgement.kind && judgement.line));
  }
  CHECK(number >= at_least);
}

}  // namespace

TEST_CASE("every defective program is found, with the right kind at the right line") { check_all(true, 250); }

// .ci/run runs this with the compiler of the wheels, whose headers lie in the checkout.
TEST_CASE("a defect in a call of the toolkit's functions is the user's line's, wherever the toolkit lies",
          "[.wheels]") {
  check_all(true, 7, {"defective/misaligned.cu", "defective/toolkit.cu"});
}

TEST_CASE("no correct program is accused") { check_all(false, 200); }
