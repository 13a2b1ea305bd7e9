// The small programs that come with lessons, lessons/*/program/*.cu, as their READMEs have them run.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <string>
#include <utility>

#include "tests/end_to_end/ladder_run.h"

namespace fs = std::filesystem;

namespace {

std::vector<fs::path> programs() {
  std::vector<fs::path> found;
  for (const auto& lesson : fs::directory_iterator(fs::path(LADDER_SOURCE_DIR) / "lessons"))
    if (fs::is_directory(lesson.path() / "program"))
      for (const auto& file : fs::directory_iterator(lesson.path() / "program"))
        if (file.path().extension() == ".cu") found.push_back(file.path());
  std::sort(found.begin(), found.end());
  return found;
}

/// Runs a program by `ladder sim`, in a folder of its own: some write pictures where they are started.
/// @param arguments  of the program
/// @return how it ended, and all that it said
std::pair<ladder::ExitStatus, std::string> simulated(const fs::path& program, const std::string& arguments) {
  sample::Tree tree;
  tree.project.build = LADDER_BUILD_DIR;
  const std::string line = "cd '" + tree.project.root.string() + "' && '" + end_to_end::ladder_binary() +
                           "' sim -I '" + LADDER_SOURCE_DIR + "' -I '" +
                           program.parent_path().parent_path().string() + "' '" + program.string() + "'" +
                           arguments;
  std::string said;
  const auto status =
      ladder::cli::run_process({{"sh", "-c", line}, end_to_end::course_environment(tree)},
                               [&](std::string_view text) { said.append(text).push_back('\n'); });
  return {status, said};
}

}  // namespace

TEST_CASE("every program of a lesson runs on the simulator and ends well") {
  const std::vector<fs::path> all = programs();
  REQUIRE(all.size() >= 5);
  for (const fs::path& program : all) {
    if (program.filename() == "mistakes.cu") continue;  // lesson 26's, which are to be found: see below
    DYNAMIC_SECTION(program.filename().string()) {
      const auto [status, said] = simulated(program, "");
      INFO(said);
      CHECK(status.signal == 0);
      CHECK(status.code == 0);
    }
  }
}

TEST_CASE("the four mistakes of lesson 26 are told by their kinds") {
  const fs::path program = fs::path(LADDER_SOURCE_DIR) / "lessons/26_debugging/program/mistakes.cu";
  const std::pair<const char*, const char*> mistakes[] = {
      {"1", "out-of-bounds"}, {"2", "race"}, {"3", "uninitialized"}, {"4", "barrier"}};
  for (const auto& [number, kind] : mistakes) {
    const auto [status, said] = simulated(program, std::string(" -- ") + number);
    INFO(said);
    CHECK(status.code != 0);
    CHECK(said.find(kind) != std::string::npos);
  }
}

TEST_CASE("the blank page of lesson 00 is a program by itself, with a main() and an argument") {
  const fs::path program = fs::path(LADDER_SOURCE_DIR) / "solutions/00_first_program/6_blank_page.cu";
  const auto [status, said] = simulated(program, " -- 100");
  INFO(said);
  CHECK(status.code == 0);
  CHECK(said.find("97 takes 118 steps, all together 3142") != std::string::npos);
  const auto [refused, words] = simulated(program, " -- 0");
  INFO(words);
  CHECK(refused.code != 0);
}
