// Reference, cases and work of the blank page: rows of floats, each sorted by itself.
#include "blank_page.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "grader/lesson/giant.h"
#include "grader/lesson/lesson.h"
#include "grader/lesson/parallel.h"
#include "grader/lesson/special.h"

namespace {

using ladder::Case;

constexpr std::int64_t kChunk = 65536;  // of a parallel_for: a chunk of one row or more each

Case matrix(const char* variant, std::int64_t rows, std::int64_t cols, Case::Use use = Case::Use::check) {
  return {{{"rows", rows}, {"cols", cols}}, variant, use};
}

class SortRows : public ladder::Lesson {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    std::vector<Case> cases;
    constexpr std::int64_t kShapes[][2] = {{0, 5},    {1, 1},    {3, 2},    {5, 31},   {2, 32},   {3, 33},
                                           {2, 255},  {2, 256},  {1, 257},  {3, 1000}, {1, 1025}, {2, 2048},
                                           {1, 2049}, {2, 3001}, {1, 4095}, {3, 4096}};
    for (const auto& [rows, cols] : kShapes) cases.push_back(matrix("mixed", rows, cols));
    for (const char* variant : {"ascending", "descending", "equal", "few values", "negative", "special"})
      for (const std::int64_t cols : {7, 1000, 4096}) cases.push_back(matrix(variant, 2, cols));
    const bool gpu = device == ladder::DeviceKind::gpu;
    if (gpu) cases.push_back(matrix("mixed", 70'001, 33));  // more rows than a grid may have blocks in y
    cases.push_back(matrix("mixed", gpu ? 16'384 : 24, 4'096, Case::Use::time));
    return cases;
  }

  bool valid(const Case& which) const override { return which["cols"] >= 1 && which["cols"] <= kMostCols; }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const Case& which = problem.which();
    const std::int64_t rows = which["rows"], cols = which["cols"];
    const auto in = problem.input<float>("in", {rows, cols});
    random.uniform(in, -8.0f, which.variant == "negative" ? -1.0f : 8.0f);
    for (std::int64_t row = 0; row < rows; ++row) adapt(in.subspan(row * cols, cols), which.variant, random);
    problem.output<float>("out", {rows, cols});
  }

  void reference(ladder::Problem& problem) const override {
    const std::int64_t cols = problem.which()["cols"];
    const auto in = problem.read<float>("in");
    const auto out = problem.expect("out", {});
    ladder::parallel_for(problem.which()["rows"] * kChunk, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin / kChunk; row * kChunk < end; ++row) {
        const auto from = in.subspan(row * cols, cols);
        const auto to = out.subspan(row * cols, cols);
        std::copy(from.begin(), from.end(), to.begin());
        std::sort(to.begin(), to.end());
      }
    });
  }

  ladder::Work work(const Case& which) const override {
    const double n = static_cast<double>(which["rows"]) * static_cast<double>(which["cols"]);
    return {.bytes_read = n * sizeof(float), .bytes_written = n * sizeof(float), .flops = n};
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    return sort_rows(arguments.get<float>("out"), arguments.get<float>("in"), static_cast<int>(which["rows"]),
                     static_cast<int>(which["cols"]));
  }

 private:
  static void adapt(std::span<float> row, std::string_view variant, ladder::Random& random) {
    if (variant == "ascending") {
      std::sort(row.begin(), row.end());
    } else if (variant == "descending") {
      std::sort(row.rbegin(), row.rend());
    } else if (variant == "equal") {
      std::fill(row.begin(), row.end(), row[0]);
    } else if (variant == "few values") {
      for (float& value : row) value = static_cast<float>(random.next() % 3) - 1;
    } else if (variant == "special") {
      ladder::scatter_special(row, random, false);  // infinities, both zeros, subnormal and large numbers
    }
  }
};

}  // namespace

LADDER_LESSON(SortRows)
