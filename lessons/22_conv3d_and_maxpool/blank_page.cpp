// Reference, cases and work of the blank page.
#include "blank_page.h"

#include <algorithm>
#include <cmath>

#include "grader/lesson/lesson.h"
#include "grader/lesson/offset.h"

namespace {

using ladder::Case;

Case shape(std::int64_t rows, std::int64_t cols, std::int64_t radius, Case::Use use = Case::Use::check) {
  return {{{"rows", rows}, {"cols", cols}, {"radius", radius}}, "", use};
}

class BoxSum : public ladder::Lesson {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    // Around a warp and a block's part, windows larger than the array, single rows and columns.
    std::vector<Case> cases = {shape(0, 5, 2),    shape(5, 0, 2),     shape(1, 1, 0),    shape(1, 1, 15),
                               shape(2, 3, 1),    shape(31, 33, 1),   shape(33, 31, 4),  shape(32, 128, 3),
                               shape(33, 129, 7), shape(1, 1023, 15), shape(1023, 1, 2), shape(63, 257, 15),
                               shape(97, 101, 0), shape(130, 67, 5)};
    cases.push_back(shape(65'537, 1, 1));  // more than a grid has blocks in y
    cases.push_back(shape(1, 65'537, 3));
    ladder::add_with_offsets(cases, shape(32, 64, 2), {"out", "in"});
    if (device == ladder::DeviceKind::gpu) {
      cases.push_back(shape(2'100'001, 3, 1));  // divided among blocks of 32 rows, that is more, too
      cases.push_back(shape(1'021, 4'099, 9));
      cases.push_back(shape(8'192, 8'192, 7, Case::Use::time));
    } else {
      cases.push_back(shape(512, 1'024, 7, Case::Use::time));
    }
    return cases;
  }

  bool valid(const Case& which) const override { return which["radius"] <= kMostRadius; }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const std::int64_t rows = problem.which()["rows"], cols = problem.which()["cols"];
    const auto in = problem.input<float>("in", {rows, cols});
    random.uniform(in, -1.0f, 1.0f);
    for (float& value : in) value = std::round(value * 64) / 64;
    problem.output<float>("out", {rows, cols});
  }

  /// Along rows, then along columns of those: in double every sum is exact.
  void reference(ladder::Problem& problem) const override {
    const std::int64_t rows = problem.which()["rows"], cols = problem.which()["cols"];
    const std::int64_t radius = problem.which()["radius"];
    const auto in = problem.read<float>("in");
    const auto out = problem.expect("out", {});
    std::vector<double> wide(in.size());
    for (std::int64_t y = 0; y < rows; ++y)
      for (std::int64_t x = 0; x < cols; ++x)
        for (std::int64_t c = std::max<std::int64_t>(x - radius, 0); c <= std::min(x + radius, cols - 1); ++c)
          wide[y * cols + x] += in[y * cols + c];
    for (std::int64_t y = 0; y < rows; ++y)
      for (std::int64_t r = std::max<std::int64_t>(y - radius, 0); r <= std::min(y + radius, rows - 1); ++r)
        for (std::int64_t x = 0; x < cols; ++x) out[y * cols + x] += wide[r * cols + x];
  }

  ladder::Work work(const Case& which) const override {
    const double bytes =
        static_cast<double>(which["rows"]) * static_cast<double>(which["cols"]) * sizeof(float);
    return {.bytes_read = bytes, .bytes_written = bytes};
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    return box_sum(arguments.get<float>("out"), arguments.get<float>("in"), static_cast<int>(which["rows"]),
                   static_cast<int>(which["cols"]), static_cast<int>(which["radius"]));
  }
};

}  // namespace

LADDER_LESSON(BoxSum)
