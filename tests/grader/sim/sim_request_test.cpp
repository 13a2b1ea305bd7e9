// What `ladder sim` understands of a command line.
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>

#include "grader/sim/request.h"

using namespace ladder::cli;

namespace {

SimRequest request_with(std::vector<std::string> words) {
  const auto file = std::filesystem::temp_directory_path() / "ladder_request_test.cu";
  std::ofstream(file) << "int main() {}\n";
  words.push_back(file.string());
  return read_sim_request(words);
}

}  // namespace

TEST_CASE("an architecture keeps its letter, and is higher with it than without") {
  for (const char* word : {"-arch=sm_90a", "--gpu-architecture=compute_90a",
                           "-gencode=arch=compute_90a,code=sm_90a", "--arch=sm_90a"}) {
    const SimRequest request = request_with({word});
    CHECK(request.architecture == 90);
    CHECK(request.architecture_letter == "a");
  }
  CHECK(request_with({"-gencode", "arch=compute_90,code=[sm_90,sm_90a]"}).architecture_letter == "a");
  const SimRequest both = request_with({"-arch=sm_90a", "-gencode=arch=compute_100,code=sm_100"});
  CHECK(both.architecture == 100);
  CHECK(both.architecture_letter.empty());
  CHECK(request_with({"-arch=sm_86"}).architecture_letter.empty());
}

TEST_CASE("a timeline is the lens with that part of it alone in the terminal, and all of it as a page") {
  const SimRequest timeline = request_with({"--timeline=page.html"});
  CHECK((timeline.lens && timeline.timeline));
  CHECK(timeline.lens_page == "page.html");
  const SimRequest all = request_with({"--lens"});
  CHECK((all.lens && !all.timeline));
}
