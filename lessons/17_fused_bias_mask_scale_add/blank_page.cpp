// Reference, cases and work of the blank page: dropout with a mask of bits.
#include "blank_page.h"

#include "grader/lesson/lesson.h"
#include "grader/lesson/parallel.h"

namespace {

using ladder::Case;

constexpr float kScales[] = {1.25f, 1.5f, 2.0f};  // exact in half precision
float scale_of(const Case& which) { return kScales[which["n"] % 3]; }

class DropoutAdd : public ladder::Lesson {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    std::vector<Case> cases;
    // Around the edges of a byte of the mask, which is a 16-byte access of halves; a warp, a block.
    for (const std::int64_t n :
         {0, 1, 2, 3, 7, 8, 9, 15, 17, 31, 33, 255, 257, 1023, 2047, 2049, 4097, 10'007})
      cases.push_back({{{"n", n}}, "", Case::Use::check});
    const bool gpu = device == ladder::DeviceKind::gpu;
    if (gpu) cases.push_back({{{"n", 999'983}}, "", Case::Use::check});
    cases.push_back({{{"n", gpu ? 134'217'728 : 4'194'304}}, "", Case::Use::time});
    return cases;
  }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const std::int64_t n = problem.which()["n"];
    random.uniform(problem.input<__half>("in", {n}), __half(-2.0f), __half(2.0f));
    random.uniform(problem.input<std::uint8_t>("mask", {(n + 7) / 8}), 0, 255);
    random.uniform(problem.input<__half>("residual", {n}), __half(-2.0f), __half(2.0f));
    problem.output<__half>("out", {n});
    problem.scalar("scale", static_cast<double>(scale_of(problem.which())));
  }

  void reference(ladder::Problem& problem) const override {
    const auto in = problem.read<__half>("in"), residual = problem.read<__half>("residual");
    const auto mask = problem.read<std::uint8_t>("mask");
    const double scale = static_cast<double>(scale_of(problem.which()));
    // A product of up to 4, rounded to 2^-10, and a sum of up to 6, rounded to 2^-9.
    const auto out = problem.expect("out", {.absolute = 0x1p-8, .relative = 0x1p-10});
    const auto number = [](__half value) { return static_cast<double>(static_cast<float>(value)); };
    ladder::parallel_for(static_cast<std::int64_t>(out.size()), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i)
        out[i] = ((mask[i / 8] >> i % 8 & 1) != 0 ? number(in[i]) * scale : 0) + number(residual[i]);
    });
  }

  ladder::Work work(const Case& which) const override {
    const double n = static_cast<double>(which["n"]), bytes = n * sizeof(__half);
    return {.bytes_read = 2 * bytes + n / 8, .bytes_written = bytes, .flops = 2 * n};
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    return dropout_add(arguments.get<__half>("out"), arguments.get<__half>("in"),
                       arguments.get<std::uint8_t>("mask"), arguments.get<__half>("residual"),
                       scale_of(which), which["n"]);
  }
};

}  // namespace

LADDER_LESSON(DropoutAdd)
