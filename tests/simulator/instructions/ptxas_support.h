// What ptxas, NVIDIA's assembler, takes of cases of truth/ for a target.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "tests/simulator/truth/cases.h"

namespace sim::test::ptxas_says {

inline constexpr const char* kHead = ".target sm_90\n";

/// It lies beside nvcc, where there is one.
inline std::string ptxas() { return (std::filesystem::path(LADDER_NVCC).parent_path() / "ptxas").string(); }

inline std::string for_target(std::string text, int target) {
  return text.replace(text.find(kHead), std::string(kHead).size(),
                      ".target sm_" + std::to_string(target) + "\n");
}

/// Cases that ptxas refuses for a target: one run over all of them names the lines.
inline std::set<std::size_t> refused_by_ptxas(const std::vector<truth::Case>& cases, int target) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path();
  const std::string stem = (folder / ("targets." + std::to_string(getpid()))).string();
  std::vector<std::size_t> case_of_line{0};
  std::ofstream file(stem + ".ptx");
  for (std::size_t k = 0; k < cases.size(); ++k) {
    std::string text = for_target(truth::ptx_of(cases[k]), target);
    if (k != 0) text.erase(0, text.find(".visible"));
    text.replace(text.find(" k("), 3, " k" + std::to_string(k) + "(");
    case_of_line.insert(case_of_line.end(),
                        static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')), k);
    file << text;
  }
  file.close();
  const std::string command = "'" + ptxas() + "' -arch=sm_" + std::to_string(target) + " '" + stem +
                              ".ptx' -o /dev/null > '" + stem + ".log' 2>&1";
  const int status = std::system(command.c_str());
  CHECK(status != 0);  // something is refused
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

}  // namespace sim::test::ptxas_says
