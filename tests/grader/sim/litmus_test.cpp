// What `ladder litmus` understands of a command line, and of what a program leaves.
#include "grader/sim/litmus.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "grader/platform/failure.h"
#include "grader/platform/files.h"

using namespace ladder::cli;

namespace {

LitmusRequest litmus_request_with(std::vector<std::string> words) {
  const auto file = std::filesystem::temp_directory_path() / "ladder_litmus_test.cu";
  write_file(file, "int main() {}\n");
  words.insert(words.begin(), file.string());
  return read_litmus_request(words);
}

bool has(const LitmusRequest& request, const std::string& name, const std::string& value) {
  const auto all = litmus_settings(request, "record");
  return std::find(all.begin(), all.end(), std::pair(name, value)) != all.end();
}

}  // namespace

TEST_CASE("options of the exploration are its own, others are the compiler's, and behind -- the program's") {
  const LitmusRequest request =
      litmus_request_with({"--turns", "5", "--kernel=push", "-DN=2", "--json", "-", "--", "--turns", "7"});
  CHECK(has(request, "LADDER_SIM_LITMUS_TURNS", "5"));
  CHECK(has(request, "LADDER_SIM_LITMUS_KERNEL", "push"));
  CHECK(has(request, "LADDER_SIM_LITMUS", "record"));
  CHECK(request.candidates.empty());
  CHECK(request.program.nvcc_options == std::vector<std::string>{"-DN=2"});
  CHECK(request.program.arguments == std::vector<std::string>{"--turns", "7"});
  CHECK(request.program.json == "-");
  CHECK_FALSE(request.program.findings);
}

TEST_CASE("an option without its value, or with no number where one is wanted, is told") {
  CHECK_THROWS_AS(litmus_request_with({"--turns"}), Failure);
  CHECK_THROWS_AS(litmus_request_with({"--turns", "many"}), Failure);
  CHECK_THROWS_AS(litmus_request_with({"--candidates=-1"}), Failure);
  CHECK_THROWS_AS(read_litmus_request({}), Failure);
}

TEST_CASE("a record is what was written; only what is allowed can fail") {
  sim::LitmusRecord record;
  record.kernel = "k";
  record.locations = {"x"};
  record.outcomes.push_back({.values = {"1"}, .executions = 2, .allowed = false, .broken = {"causality"}});
  record.outcomes.back().verdict = sim::LitmusVerdict::fails;
  const auto file = std::filesystem::temp_directory_path() / "ladder_litmus_record.json";
  write_file(file, litmus_json(record));
  const auto read = read_litmus_record(file);
  REQUIRE(read);
  CHECK(nlohmann::json(*read) == nlohmann::json(record));
  CHECK_FALSE(any_failure(*read));
  record.outcomes.back().allowed = true;
  CHECK(any_failure(record));
  write_file(file, "");
  CHECK_FALSE(read_litmus_record(file));
  std::filesystem::remove(file);
}
