#include "saxpy.h"

#include "grader/lesson/lesson.h"

namespace {

using ladder::Arguments;
using ladder::Case;
using ladder::Problem;

class Saxpy final : public ladder::Lesson {
 public:
  std::vector<Case> cases(ladder::DeviceKind) const override {
    std::vector<Case> cases;
    for (const std::int64_t n : {0, 1, 3, 33, 257, 1023, 5003, 100003})
      cases.push_back({{{"n", n}}, "", Case::Use::check});
    cases.push_back({{{"n", 5}}, "other", Case::Use::check});
    cases.push_back({{{"n", 1 << 17}}, "other", Case::Use::time});
    cases.push_back({{{"n", 1 << 18}}, "", Case::Use::time});
    cases.push_back({{{"n", 1 << 16}}, "", Case::Use::time});
    return cases;
  }
  bool applies(const Case& which, std::string_view rung) const override {
    return (which.variant == "other") == (rung == "other" || rung == "other");
  }
  void declare(Problem& problem, ladder::Random& random) const override {
    const std::int64_t n = problem.which()["n"];
    problem.output<float>("out", {n});
    random.uniform(problem.input<float>("x", {n}), -1, 1);
    random.uniform(problem.input<float>("y", {n}), -1, 1);
  }
  void reference(Problem& problem) const override {
    const auto x = problem.read<float>("x");
    const auto y = problem.read<float>("y");
    const auto out = problem.expect("out", {.absolute = 4e-7, .relative = 2e-7});
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = 3.0 * static_cast<double>(x[i]) + static_cast<double>(y[i]);
  }
  ladder::Work work(const Case& which) const override {
    const auto n = static_cast<double>(which["n"]);
    return {.bytes_read = 8 * n, .bytes_written = 4 * n, .flops = 2 * n};
  }
  cudaError_t launch(const Case& which, const Arguments& arguments) override {
    return saxpy(arguments.get<float>("out"), arguments.get<const float>("x"),
                 arguments.get<const float>("y"), static_cast<int>(which["n"]));
  }
};

}  // namespace

LADDER_LESSON(Saxpy)
