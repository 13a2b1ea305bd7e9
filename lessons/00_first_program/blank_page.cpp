// Cases and reference of the blank page: a program is called with an N, and its line is read.
#include <cstdio>
#include <stdexcept>
#include <string>

#include "grader/lesson/lesson.h"
#include "judge/run_program.h"

namespace {

using ladder::Case;

int steps_from(std::int64_t k) {
  int steps = 0;
  for (; k != 1; ++steps) k = k % 2 == 0 ? k / 2 : 3 * k + 1;
  return steps;
}

class WholeProgram : public ladder::Lesson {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    std::vector<Case> cases;
    // 113383 passes 2^31 on its way, 159487 passes 2^32.
    for (const int n : {100, 1, 2, 31, 33, 1000, 1023, 1025, 160'000})
      cases.push_back({{{"N", n}}, "", Case::Use::check});
    cases.push_back({{{"N", device == ladder::DeviceKind::gpu ? 1 << 18 : 1 << 15}}, "", Case::Use::time});
    return cases;
  }

  bool valid(const Case& which) const override { return which["N"] >= 1 && which["N"] <= 10'000'000; }

  void declare(ladder::Problem& problem, ladder::Random&) const override {
    problem.output<double>("number, steps, all", {3}, ladder::Buffer::Location::host);
  }

  void reference(ladder::Problem& problem) const override {
    const auto line = problem.expect("number, steps, all", {});
    line[0] = 1, line[1] = 0, line[2] = 0;
    for (int k = 1; k <= problem.which()["N"]; ++k) {
      const int steps = steps_from(k);
      if (steps > line[1]) line[0] = k, line[1] = steps;
      line[2] += steps;
    }
  }

  ladder::Work work(const Case& which) const override {
    return {.bytes_written = static_cast<double>(which["N"]) * sizeof(int)};
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    const std::string called = "`program " + std::to_string(which["N"]) + "`";
    const Ended ended = run_program({std::to_string(which["N"])});
    if (ended.code != 0)
      throw ladder::Objection("main() returned " + std::to_string(ended.code) + " for " + called, true);
    const auto found = arguments.get<double>("number, steps, all");
    for (std::size_t at = 0; at < ended.printed.size(); at = ended.printed.find('\n', at) + 1) {
      const char* line = ended.printed.c_str() + at;
      if (std::sscanf(line, "%lf takes %lf steps, all together %lf", &found[0], &found[1], &found[2]) == 3)
        return cudaSuccess;
      if (ended.printed.find('\n', at) == std::string::npos) break;
    }
    throw ladder::Objection(called +
                            " has printed no line such as \"97 takes 118 steps, all together 3142\"");
  }
};

}  // namespace

LADDER_LESSON(WholeProgram)
