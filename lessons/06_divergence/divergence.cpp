// Reference, cases and work of the lesson; the rungs are the .cu files beside this one.
#include "divergence.h"

#include "grader/lesson/lesson.h"
#include "grader/lesson/offset.h"

namespace {

using ladder::Case;

/// The rules of divergence.h in double.
double cooled(std::size_t cell, double temperature, int steps) {
  for (int step = 0; step < steps; ++step) {
    const double rate = cell % 2 == 0 ? kCopperRate : kIronRate + kIronSlope * temperature;
    temperature += rate * (kAmbient - temperature);
  }
  return temperature;
}

class Divergence : public ladder::Lesson {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    std::vector<Case> cases;
    // The last: more than any GPU has threads at a time.
    for (const std::int64_t n :
         {0,   1,   2,   3,   4,    31,   32,   33,   63,   64,   65,     127,    128,
          129, 255, 256, 257, 1023, 1024, 1025, 1999, 2048, 4097, 12'289, 20'011, 400'009})
      cases.push_back({{{"n", n}}, "", Case::Use::check});
    ladder::add_with_offsets(cases, {{{"n", 1024}}, "", Case::Use::check}, {"out", "in", "steps"});
    if (device == ladder::DeviceKind::gpu) cases.push_back({{{"n", 999'983}}, "", Case::Use::check});
    const std::int64_t large = device == ladder::DeviceKind::gpu ? 33'554'432 : 524'288;
    cases.push_back({{{"n", large}}, "", Case::Use::time});
    return cases;
  }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const std::int64_t n = problem.which()["n"];
    random.uniform(problem.input<float>("in", {n}), 300.0f, 1000.0f);
    for (std::uint8_t& steps : problem.input<std::uint8_t>("steps", {n})) {
      const std::uint64_t bits = random.next();
      const bool is_long = bits % 4 == 0;
      steps = static_cast<std::uint8_t>(is_long ? 200 + (bits >> 8) % 56 : (bits >> 8) % 16);
    }
    problem.output<float>("out", {n});
  }

  void reference(ladder::Problem& problem) const override {
    const auto in = problem.read<float>("in");
    const auto steps = problem.read<std::uint8_t>("steps");
    // Each of up to 255 steps may round twice, by 2^-15 each below 1024 degrees; later steps only shrink what
    // has come together. One step too few or too many is 0.03 degrees at least.
    const auto out = problem.expect("out", {.absolute = 255 * 2 * 0x1p-15});
    for (std::size_t i = 0; i < out.size(); i += 2) {
      const double copper = cooled(i, in[i], steps[i]);
      if (i + 1 == out.size()) {
        out[i] = copper;
      } else {
        out[i] = out[i + 1] = (copper + cooled(i + 1, in[i + 1], steps[i + 1])) / 2;
      }
    }
  }

  ladder::Work work(const Case& which) const override {
    const double n = static_cast<double>(which["n"]);
    constexpr double kMeanSteps = 0.75 * 7.5 + 0.25 * 227.5;
    return {.bytes_read = n * (sizeof(float) + 1),
            .bytes_written = n * sizeof(float),
            .flops = n * kMeanSteps * (3 + 5) / 2};
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    return anneal(arguments.get<float>("out"), arguments.get<float>("in"),
                  arguments.get<std::uint8_t>("steps"), which["n"]);
  }
};

}  // namespace

LADDER_LESSON(Divergence)
