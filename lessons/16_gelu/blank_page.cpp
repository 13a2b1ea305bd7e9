// Reference, cases and work of the blank page: SwiGLU.
#include "blank_page.h"

#include <cmath>

#include "grader/lesson/lesson.h"
#include "grader/lesson/parallel.h"

namespace {

using ladder::Case;

class Swiglu : public ladder::Lesson {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    std::vector<Case> cases;
    // Around the edges of a 16-byte access, a warp, a block, and what a block of vectors takes.
    for (const std::int64_t n : {0, 1, 2, 3, 7, 8, 9, 31, 33, 127, 1023, 1025, 2047, 2049, 4097, 10'007})
      cases.push_back({{{"n", n}}, "", Case::Use::check});
    const bool gpu = device == ladder::DeviceKind::gpu;
    if (gpu) cases.push_back({{{"n", 999'983}}, "", Case::Use::check});
    cases.push_back({{{"n", gpu ? 134'217'728 : 4'194'304}}, "", Case::Use::time});
    return cases;
  }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const std::int64_t n = problem.which()["n"];
    const auto gate = problem.input<__half>("gate", {n});
    random.uniform(gate, __half(-8.0f), __half(8.0f));
    random.uniform(problem.input<__half>("up", {n}), __half(-2.0f), __half(2.0f));
    problem.output<__half>("out", {n});
    if (problem.which().use == Case::Use::time) return;
    // Both zeros, and numbers whose exponential leaves the type's range.
    const float special[] = {0.0f, -0.0f, 30000.0f, -65504.0f, 300.0f, -300.0f, 11.5f, -11.5f};
    for (std::size_t i = random.next() % 16; i < gate.size(); i += 16)
      gate[i] = __half(special[random.next() % 8]);
  }

  void reference(ladder::Problem& problem) const override {
    const auto gate = problem.read<__half>("gate"), up = problem.read<__half>("up");
    // A formula in half precision throughout: half of a gate of up to 8, times a tanh that is off by 2^-11
    // and rounded to 2^-12 of it, times up.
    const auto out = problem.expect("out", {.absolute = 0x1p-7, .relative = 0x1p-9});
    ladder::parallel_for(static_cast<std::int64_t>(out.size()), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const double x = static_cast<double>(static_cast<float>(gate[i]));
        out[i] = x / (1 + std::exp(-x)) * static_cast<double>(static_cast<float>(up[i]));
      }
    });
  }

  ladder::Work work(const Case& which) const override {
    const double n = static_cast<double>(which["n"]), bytes = n * sizeof(__half);
    return {.bytes_read = 2 * bytes, .bytes_written = bytes, .flops = 6 * n};
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    return swiglu(arguments.get<__half>("out"), arguments.get<__half>("gate"), arguments.get<__half>("up"),
                  which["n"]);
  }
};

}  // namespace

LADDER_LESSON(Swiglu)
