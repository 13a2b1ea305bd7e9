// What is said of launches that were not looked at.
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>

#include "grader/platform/files.h"
#include "grader/sim/report.h"

using namespace ladder::cli;

namespace {

SimReport reported(const std::string& line) {
  // ctest runs the cases of this file beside each other.
  const auto file = std::filesystem::temp_directory_path() /
                    ("ladder_sim_report_test." + std::to_string(::getpid()) + ".jsonl");
  write_file(file, line + "\n");
  return read_sim_report(file);
}

}  // namespace

TEST_CASE("where no launch was looked at, the note says that nothing was checked, and why") {
  const SimReport report = reported(R"({"looked_at":{"launches":3,"whole":0,"unable":2,"stopped":1}})");
  CHECK(checked_note(report) ==
        "not checked: findings were looked for in none of 3 launches: 2 of kernels whose check build is "
        "missing or "
        "needs what the simulator lacks; 1 whose check did not come to its end: it took too long, waits for "
        "other work, or failed");
  CHECK(report_json(report)["checked"]["left_out"]["unable"] == 2);
}

TEST_CASE("where some were, it says what became of the others") {
  const SimReport report = reported(R"({"looked_at":{"launches":9,"whole":4,"alike":5}})");
  CHECK(checked_note(report) ==
        "findings were looked for in 4 of 9 launches; of the others, 5 like launches that were looked at");
}

TEST_CASE("where all were, there is nothing to say") {
  CHECK(checked_note(reported(R"({"looked_at":{"launches":2,"whole":2}})")).empty());
  CHECK(checked_note(SimReport{}).empty());
}

TEST_CASE("a launch that needed what is not there makes the whole program's results worthless") {
  CHECK(
      reported(R"({"finding":{"kind":"unsupported","severity":"error","message":"no"}})").any_unsupported());
  CHECK_FALSE(
      reported(R"({"finding":{"kind":"unsupported","severity":"note","message":"no"}})").any_unsupported());
}
