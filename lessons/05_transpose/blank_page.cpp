// Reference, cases and work of the blank page.
#include "blank_page.h"

#include "grader/lesson/lesson.h"
#include "grader/lesson/offset.h"
#include "grader/lesson/parallel.h"

namespace {

using ladder::Case;

Case shape(std::int64_t width, std::int64_t height, Case::Use use = Case::Use::check) {
  return {{{"width", width}, {"height", height}}, "", use};
}

class QuarterTurn : public ladder::Lesson {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    std::vector<Case> cases = {shape(0, 3),    shape(4, 0),     shape(1, 1),     shape(2, 2),
                               shape(3, 1),    shape(1, 7),     shape(5, 3),     shape(31, 33),
                               shape(33, 31),  shape(32, 32),   shape(64, 32),   shape(65, 127),
                               shape(1023, 5), shape(3, 1'025), shape(257, 129), shape(128, 96)};
    cases.push_back(shape(65'536, 1));  // more columns, and more rows, than a grid has blocks in y
    cases.push_back(shape(1, 65'536));
    ladder::add_with_offsets(cases, shape(64, 32), {"out", "in"});
    const std::int64_t side = device == ladder::DeviceKind::gpu ? 16'384 : 1'024;
    cases.push_back(shape(side, side, Case::Use::time));
    return cases;
  }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const std::int64_t width = problem.which()["width"], height = problem.which()["height"];
    random.uniform(problem.input<std::uint32_t>("in", {height, width}), 0u, 0xffffffffu);
    problem.output<std::uint32_t>("out", {width, height});
  }

  void reference(ladder::Problem& problem) const override {
    const std::int64_t width = problem.which()["width"], height = problem.which()["height"];
    const auto in = problem.read<std::uint32_t>("in");
    const auto out = problem.expect("out", {});
    ladder::parallel_for(width, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t y = 0; y < height; ++y)
        for (std::int64_t x = begin; x < end; ++x) out[x * height + height - 1 - y] = in[y * width + x];
    });
  }

  ladder::Work work(const Case& which) const override {
    const double bytes = 4 * static_cast<double>(which["width"]) * static_cast<double>(which["height"]);
    return {.bytes_read = bytes, .bytes_written = bytes, .flops = 0};
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    return quarter_turn(arguments.get<std::uint32_t>("out"), arguments.get<std::uint32_t>("in"),
                        static_cast<int>(which["width"]), static_cast<int>(which["height"]));
  }
};

}  // namespace

LADDER_LESSON(QuarterTurn)
