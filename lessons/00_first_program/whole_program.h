// Rung 6: a program with a main() of its own. What it is held to stands at the head of its file.
#pragma once

#include <cstdio>
#include <string>

#include "exercise.h"
#include "run_program.h"

class WholeProgram : public Exercise {
  static int steps_from(std::int64_t k) {
    int steps = 0;
    for (; k != 1; ++steps) k = k % 2 == 0 ? k / 2 : 3 * k + 1;
    return steps;
  }

  std::vector<Extents> checked() const override {
    std::vector<Extents> all;
    for (const int n : {100, 1, 2, 31, 33, 1000, 1023, 1025}) all.push_back({{"N", n}});
    all.push_back({{"N", 120'000}});  // 113383 passes 2^31 on its way
    return all;
  }
  Extents timed(ladder::DeviceKind device) const override {
    return {{"N", device == ladder::DeviceKind::gpu ? 1 << 18 : 1 << 15}};
  }
  bool valid(const ladder::Case& which) const override { return which["N"] >= 1 && which["N"] <= 10'000'000; }
  void declare(ladder::Problem& problem, ladder::Random&) const override {
    problem.output<int>("number, steps", {2}, ladder::Buffer::Location::host);
  }
  void reference(ladder::Problem& problem) const override {
    const auto line = problem.expect("number, steps", {});
    line[0] = 1, line[1] = 0;
    for (int k = 1; k <= problem.which()["N"]; ++k)
      if (const int steps = steps_from(k); steps > line[1]) line[0] = k, line[1] = steps;
  }
  ladder::Work work(const ladder::Case& which) const override {
    return {.bytes_written = static_cast<double>(which["N"]) * sizeof(int)};
  }
  cudaError_t launch(const ladder::Case& which, const ladder::Arguments& arguments) const override {
    const std::string n = std::to_string(which["N"]);
    const Ended ended = run_program({n});
    if (ended.code != 0)
      throw std::runtime_error("main() returned " + std::to_string(ended.code) + " for `program " + n + "`");
    int* found = arguments.get<int>("number, steps");
    bool is_there = false;
    for (std::size_t at = 0; at < ended.printed.size() && !is_there; at = ended.printed.find('\n', at) + 1) {
      is_there = std::sscanf(ended.printed.c_str() + at, "%d takes %d steps", &found[0], &found[1]) == 2;
      if (ended.printed.find('\n', at) == std::string::npos) break;
    }
    if (!is_there)
      throw std::runtime_error("`program " + n + "` has printed no line such as \"97 takes 118 steps\"");
    return cudaSuccess;
  }
};
