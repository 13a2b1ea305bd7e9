// The targets that declarations name: the simulator has an instruction from the same `.target` on as ptxas.
#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include <unistd.h>

#include "tests/simulator/exec_support.h"
#include "tests/simulator/truth/cases.h"

using Catch::Matchers::ContainsSubstring;
using namespace sim::truth;

namespace {

constexpr const char* kHead = ".target sm_90\n";

std::string for_target(std::string text, int target) {
  return text.replace(text.find(kHead), std::string(kHead).size(),
                      ".target sm_" + std::to_string(target) + "\n");
}

/// What is said of a case for an older target; "" when it decodes.
std::string refusal(const Case& c, int target) {
  try {
    sim::test::Device device(for_target(ptx_of(c), target));
    device.module().kernel("k");
  } catch (const sim::exec::Fault& fault) {
    return fault.what();
  }
  return "";
}

/// Cases that ptxas refuses for a target: one run over all of them names the lines.
std::set<std::size_t> refused_by_ptxas(const std::string& ptxas, const std::vector<Case>& cases, int target) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path();
  const std::string stem = (folder / ("targets." + std::to_string(getpid()))).string();
  std::vector<std::size_t> case_of_line{0};
  std::ofstream file(stem + ".ptx");
  for (std::size_t k = 0; k < cases.size(); ++k) {
    std::string text = for_target(ptx_of(cases[k]), target);
    if (k != 0) text.erase(0, text.find(".visible"));
    text.replace(text.find(" k("), 3, " k" + std::to_string(k) + "(");
    case_of_line.insert(case_of_line.end(),
                        static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')), k);
    file << text;
  }
  file.close();
  const std::string command = "'" + ptxas + "' -arch=sm_" + std::to_string(target) + " '" + stem +
                              ".ptx' -o /dev/null > '" + stem + ".log' 2>&1";
  const int status = std::system(command.c_str());
  CHECK(status != 0);  // each of these targets lacks something
  std::set<std::size_t> refused;
  std::ifstream log(stem + ".log");
  for (std::string line; std::getline(log, line);) {
    const std::size_t at = line.find(", line ");
    if (at != line.npos && line.find("error") != line.npos)
      refused.insert(case_of_line.at(std::strtoul(line.c_str() + at + 7, nullptr, 10)));
  }
  for (const char* end : {".ptx", ".log"}) std::filesystem::remove(stem + end);
  return refused;
}

}  // namespace

TEST_CASE("an instruction that the target lacks is refused with the target it needs") {
  const auto said = [](const std::string& body, const char* target) {
    std::string text = sim::test::kernel_text("", ".reg .b32 %r<4>; .reg .b16 %h<4>;\n" + body);
    text.replace(text.find(kHead), std::string(kHead).size(), std::string(".target ") + target + "\n");
    try {
      sim::test::Device device(text);
      device.module().kernel("k");
    } catch (const sim::exec::Fault& fault) {
      CHECK(fault.finding.kind == "unsupported");
      return std::string(fault.what());
    }
    return std::string();
  };
  CHECK_THAT(said("redux.sync.add.u32 %r1, %r2, 0xffffffff;", "sm_75"),
             ContainsSubstring("redux.sync.add.u32") && ContainsSubstring("needs .target sm_80 or higher") &&
                 ContainsSubstring("for sm_75"));
  CHECK(said("redux.sync.add.u32 %r1, %r2, 0xffffffff;", "sm_80").empty());
  CHECK(said("fma.rn.bf16 %h1, %h2, %h3, %h1;", "sm_80").empty());
  CHECK_THAT(said("add.bf16 %h1, %h2, %h3;", "sm_89"), ContainsSubstring("sm_90 or higher"));
  CHECK_THAT(said("mov.u32 %r1, %cluster_ctarank;", "sm_86"),
             ContainsSubstring("%cluster_ctarank") && ContainsSubstring("sm_90 or higher"));
  CHECK(said("mov.u32 %r1, %cluster_ctarank;", "sm_90a").empty());
}

TEST_CASE("every recorded instruction is had from the target on from which ptxas has it") {
  const std::string ptxas = (std::filesystem::path(LADDER_NVCC).parent_path() / "ptxas").string();
  if (!std::filesystem::exists(ptxas)) SKIP("no ptxas beside " LADDER_NVCC);
  const std::vector<Case> cases = all_cases();
  for (const int target : {75, 80, 86, 89}) {
    const std::set<std::size_t> refused = refused_by_ptxas(ptxas, cases, target);
    CHECK(refused.size() > 100);
    for (std::size_t k = 0; k < cases.size(); ++k) {
      const std::string said = refusal(cases[k], target);
      INFO("sm_" << target << ": " << cases[k].name << ": " << said);
      CHECK((said.find("or higher") != said.npos) == refused.contains(k));
    }
  }
}
