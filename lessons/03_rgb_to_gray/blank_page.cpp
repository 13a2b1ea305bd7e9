// Reference, cases and work of the blank page.
#include "blank_page.h"

#include <cstdlib>

#include "grader/lesson/giant.h"
#include "grader/lesson/lesson.h"

namespace {

using ladder::Case;

class Difference : public ladder::Lesson, public ladder::Giant {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    std::vector<Case> cases;
    for (const std::int64_t n :
         {0, 1, 3, 4, 5, 15, 16, 17, 31, 33, 127, 1023, 1025, 4095, 4097, 99'991, 1'000'003})
      cases.push_back({{{"n", n}}, "", Case::Use::check});
    const std::int64_t large = device == ladder::DeviceKind::gpu ? 1 << 28 : 1 << 22;
    cases.push_back({{{"n", large}}, "", Case::Use::time});
    return cases;
  }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const std::int64_t n = problem.which()["n"];
    random.uniform(problem.input<std::uint8_t>("a", {n}), 0, 255);
    random.uniform(problem.input<std::uint8_t>("b", {n}), 0, 255);
    problem.output<std::uint8_t>("out", {n});
  }

  void reference(ladder::Problem& problem) const override {
    const auto a = problem.read<std::uint8_t>("a"), b = problem.read<std::uint8_t>("b");
    const auto out = problem.expect("out", {});  // integers: nothing may differ
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = std::abs(a[i] - b[i]);
  }

  std::vector<Case> giant_cases() const override { return {{{{"n", 6'500'000'011}}, "", Case::Use::check}}; }

  void outline(ladder::Problem& problem) const override {
    const std::int64_t n = problem.which()["n"];
    problem.input<std::uint8_t>("a", {n});
    problem.input<std::uint8_t>("b", {n});
    problem.output<std::uint8_t>("out", {n});
  }

  double element(const Case&, std::string_view, std::int64_t i, const Input& in) const override {
    return std::abs(in("a", i) - in("b", i));
  }

  ladder::Work work(const Case& which) const override {
    const double n = static_cast<double>(which["n"]);
    return {.bytes_read = 2 * n, .bytes_written = n};
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    return difference(arguments.get<std::uint8_t>("out"), arguments.get<std::uint8_t>("a"),
                      arguments.get<std::uint8_t>("b"), which["n"]);
  }
};

}  // namespace

LADDER_LESSON(Difference)
