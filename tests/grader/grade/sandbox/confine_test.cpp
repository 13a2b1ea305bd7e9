// What closes a cell, without the cell: programs run as ever, and calls that are not on its list are refused.
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <string>

#include "grader/platform/process/run_process.h"

using namespace ladder::cli;

namespace {

Captured confined(const std::string& script) {
  const std::filesystem::path program = std::filesystem::path(LADDER_BUILD_DIR) / "bin/ladder-confine";
  return capture({program, "--open-files", "64", "--", "sh", "-c", script});
}

}  // namespace

TEST_CASE("a shell with its pipes, children and files runs confined") {
  const Captured ran = confined("d=$(mktemp -d) && ls / | sort >$d/all & wait && sleep 0 && echo done");
  CHECK(ran.status.ok());
  CHECK(ran.output == "done\n");
}

TEST_CASE("a call that is not on the list of a cell is not permitted") {
  for (const char* script : {"unshare -U true", "setsid true"}) {
    const Captured ran = confined(script);
    INFO(script);
    CHECK_FALSE(ran.status.ok());
    CHECK(ran.output.find("Operation not permitted") != std::string::npos);
  }
}
