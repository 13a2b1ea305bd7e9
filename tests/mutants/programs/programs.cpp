// Small programs with one defect each, and correct ones that look as if they had one.
#include <catch2/catch_test_macros.hpp>

#include "tests/mutants/programs/corpus.h"

namespace {

void check_all(bool defective, std::size_t at_least) {
  std::size_t number = 0;
  for (const corpus::Program& program : corpus::read_programs(LADDER_CORPUS)) {
    if (program.defective() != defective) continue;
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

TEST_CASE("every defective program is found, with the right kind at the right line") { check_all(true, 215); }

TEST_CASE("no correct program is accused") { check_all(false, 160); }
