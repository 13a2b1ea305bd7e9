// Reference, cases and work of the blank page.
#include "blank_page.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "grader/lesson/lesson.h"
#include "grader/lesson/parallel.h"

namespace {

using ladder::Case;

class Nearest : public ladder::Lesson {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    std::vector<Case> cases;
    const auto add = [&](std::int64_t n, std::int64_t m, Case::Use use = Case::Use::check) {
      cases.push_back({{{"n", n}, {"m", m}}, "", use});
    };
    // Around a warp, a block of any size, and what may be in a tile.
    constexpr std::pair<int, int> kShapes[] = {{0, 5},    {1, 0},    {33, 0},   {1, 1},    {2, 3},
                                               {31, 33},  {32, 32},  {33, 31},  {5, 1025}, {127, 129},
                                               {257, 63}, {1023, 7}, {1025, 2}, {3, 3073}, {65'537, 1}};
    for (const auto& [n, m] : kShapes) add(n, m);
    if (device == ladder::DeviceKind::gpu) {
      add(999'983, 37);
      add(524'288, 2048, Case::Use::time);
    } else {
      add(270'336, 32, Case::Use::time);  // 2048 for each multiprocessor of an H200
    }
    return cases;
  }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const std::int64_t n = problem.which()["n"], m = problem.which()["m"];
    random.uniform(problem.input<float>("queries", {n, 4}), -1.0f, 1.0f);
    random.uniform(problem.input<float>("points", {m, 4}), -1.0f, 1.0f);
    problem.output<float>("out", {n});
  }

  void reference(ladder::Problem& problem) const override {
    const auto queries = problem.read<float>("queries"), points = problem.read<float>("points");
    // A difference of up to 2 rounds by 2^-24, which its square of up to 4 takes twice over, times three
    // axes.
    const auto out = problem.expect("out", {.absolute = 0x1p-19});
    ladder::parallel_for(problem.which()["n"], [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        out[i] = std::numeric_limits<double>::infinity();
        for (std::size_t j = 0; j < points.size(); j += 4) {
          double squares = 0;
          for (int axis = 0; axis < 3; ++axis) {
            const double along = double(points[j + axis]) - double(queries[4 * i + axis]);
            squares += along * along;
          }
          out[i] = std::min(out[i], squares);
        }
      }
    });
  }

  ladder::Work work(const Case& which) const override {
    const double n = static_cast<double>(which["n"]), m = static_cast<double>(which["m"]);
    return {.bytes_read = 16 * (n + m), .bytes_written = 4 * n, .flops = 8 * n * m};
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    return nearest(arguments.get<float>("out"), arguments.get<float4>("queries"),
                   arguments.get<float4>("points"), which["n"], static_cast<int>(which["m"]));
  }
};

}  // namespace

LADDER_LESSON(Nearest)
