// Reference, cases and work of the blank page.
#include "blank_page.h"

#include <algorithm>

#include "grader/lesson/giant.h"
#include "grader/lesson/lesson.h"
#include "grader/lesson/offset.h"

namespace {

using ladder::Case;

Case shape(std::int64_t images, std::int64_t rows, std::int64_t cols, std::int64_t radius,
           Case::Use use = Case::Use::check) {
  return {{{"images", images}, {"rows", rows}, {"cols", cols}, {"radius", radius}}, "", use};
}

class Erode : public ladder::Lesson, public ladder::Giant {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    std::vector<Case> cases = {shape(1, 1, 1, 0),      shape(1, 1, 1, 15),     shape(0, 5, 5, 1),
                               shape(2, 0, 5, 1),      shape(2, 5, 0, 1),      shape(2, 4, 5, 1),
                               shape(1, 31, 33, 1),    shape(2, 33, 31, 3),    shape(3, 7, 9, 15),
                               shape(1, 32, 32, 2),    shape(1, 64, 64, 15),   shape(2, 65, 63, 5),
                               shape(1, 1, 1023, 4),   shape(1, 1023, 1, 4),   shape(1, 97, 101, 0),
                               shape(70'001, 1, 1, 1), shape(1, 65'537, 1, 2), shape(1, 1, 65'537, 2)};
    ladder::add_with_offsets(cases, shape(2, 32, 64, 2), {"out", "in"});
    if (device == ladder::DeviceKind::gpu) {
      cases.push_back(shape(3, 1021, 1031, 7));
      cases.push_back(shape(64, 1080, 1920, 3, Case::Use::time));
    } else {
      cases.push_back(shape(2, 540, 480, 3, Case::Use::time));
    }
    return cases;
  }

  bool valid(const Case& which) const override { return which["radius"] >= 0 && which["radius"] <= 15; }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const auto [images, rows, cols, radius] = extents(problem.which());
    // Of either sign; only a 0 in place of what lies outside may go unseen, and not where the window is
    // small.
    random.uniform(problem.input<float>("in", {images, rows, cols}), -1.0f, 1.0f);
    problem.output<float>("out", {images, rows, cols});
  }

  void reference(ladder::Problem& problem) const override {
    const auto [images, rows, cols, radius] = extents(problem.which());
    const auto out = problem.expect("out", {});
    const auto in = problem.read<float>("in");
    // A square's smallest is the smallest of its rows' smallest.
    std::vector<double> along(static_cast<std::size_t>(rows * cols));
    for (std::int64_t s = 0; s < images; ++s) {
      const auto image = in.subspan(s * rows * cols, rows * cols);
      for (std::int64_t i = 0; i < rows * cols; ++i) {
        const std::int64_t x = i % cols, from = std::max<std::int64_t>(x - radius, 0);
        const auto row = image.subspan(i - x, cols);
        along[i] = *std::min_element(row.begin() + from, row.begin() + std::min(x + radius + 1, cols));
      }
      for (std::int64_t i = 0; i < rows * cols; ++i) {
        const std::int64_t y = i / cols, to = std::min(y + radius + 1, rows);
        double least = along[i];
        for (std::int64_t k = std::max<std::int64_t>(y - radius, 0); k < to; ++k)
          least = std::min(least, along[k * cols + i % cols]);
        out[s * rows * cols + i] = least;
      }
    }
  }

  std::vector<Case> giant_cases() const override { return {shape(3, 60'013, 53'003, 2)}; }

  void outline(ladder::Problem& problem) const override {
    const auto [images, rows, cols, radius] = extents(problem.which());
    problem.input<float>("in", {images, rows, cols});
    problem.output<float>("out", {images, rows, cols});
  }

  double element(const Case& which, std::string_view, std::int64_t i, const Input& in) const override {
    const auto [images, rows, cols, radius] = extents(which);
    const std::int64_t x = i % cols, y = i / cols % rows, image = i / cols / rows;
    double least = in("in", i);
    for (std::int64_t row = std::max<std::int64_t>(y - radius, 0); row < std::min(y + radius + 1, rows);
         ++row)
      for (std::int64_t col = std::max<std::int64_t>(x - radius, 0); col < std::min(x + radius + 1, cols);
           ++col)
        least = std::min(least, in("in", (image * rows + row) * cols + col));
    return least;
  }

  ladder::Work work(const Case& which) const override {
    const auto [images, rows, cols, radius] = extents(which);
    const double bytes = static_cast<double>(images * rows * cols) * sizeof(float);
    return {.bytes_read = bytes, .bytes_written = bytes};
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    const auto [images, rows, cols, radius] = extents(which);
    return erode(arguments.get<float>("out"), arguments.get<float>("in"), static_cast<int>(images),
                 static_cast<int>(rows), static_cast<int>(cols), static_cast<int>(radius));
  }

 private:
  struct Extents {
    std::int64_t images, rows, cols, radius;
  };
  static Extents extents(const Case& which) {
    return {which["images"], which["rows"], which["cols"], which["radius"]};
  }
};

}  // namespace

LADDER_LESSON(Erode)
