// Reference, cases and work of the blank page: a quantile of each row.
#include "blank_page.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "grader/lesson/lesson.h"

namespace {

using ladder::Case;

class Quantile : public ladder::Lesson {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    std::vector<Case> cases;
    const auto add = [&](std::int64_t rows, std::int64_t cols, std::int64_t rank,
                         const char* variant = "mixed", Case::Use use = Case::Use::check) {
      cases.push_back({{{"rows", rows}, {"cols", cols}, {"rank", rank}}, variant, use});
    };
    constexpr std::int64_t kShapes[][3] = {{0, 5, 2},     {1, 1, 0},       {3, 2, 1},      {5, 31, 15},
                                           {2, 256, 0},   {2, 257, 256},   {3, 1000, 500}, {2, 1025, 7},
                                           {2, 4100, 99}, {1, 8192, 4096}, {1, 8191, 8190}};
    for (const auto& [rows, cols, rank] : kShapes) add(rows, cols, rank);
    for (const char* variant : {"equal", "few values", "negative", "masked"})
      for (const auto& [rows, cols, rank] : {std::array<std::int64_t, 3>{3, 7, 3}, {2, 1000, 500}})
        add(rows, cols, rank, variant);
    if (device == ladder::DeviceKind::gpu) add(70'001, 64, 32);
    const std::int64_t fewer = device == ladder::DeviceKind::gpu ? 1 : 256;
    add(16'384 / fewer, 8'192, 4'096, "mixed", Case::Use::time);
    return cases;
  }

  bool valid(const Case& which) const override {
    return which["cols"] >= 1 && which["cols"] <= kMostCols && which["rank"] >= 0 &&
           which["rank"] < which["cols"];
  }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const Case& which = problem.which();
    const std::int64_t rows = which["rows"], cols = which["cols"];
    const auto in = problem.input<float>("in", {rows, cols});
    random.uniform(in, -8.0f, which.variant == "negative" ? -1.0f : 8.0f);
    for (float& value : in) {
      if (which.variant == "few values") value = static_cast<float>(random.next() % 3);
      if (which.variant == "equal") value = in[0];
      if (which.variant == "masked" && random.next() % 4 != 0)
        value = -std::numeric_limits<float>::infinity();
    }
    problem.output<float>("out", {rows});
  }

  void reference(ladder::Problem& problem) const override {
    const std::int64_t cols = problem.which()["cols"], rank = problem.which()["rank"];
    const auto in = problem.read<float>("in");
    const auto out = problem.expect("out", {});
    for (std::int64_t row = 0; row < problem.which()["rows"]; ++row) {
      const auto from = in.subspan(row * cols, cols);
      std::vector<float> sorted(from.begin(), from.end());
      std::nth_element(sorted.begin(), sorted.begin() + rank, sorted.end());
      out[row] = sorted[rank];
    }
  }

  ladder::Work work(const Case& which) const override {
    const double rows = static_cast<double>(which["rows"]), n = rows * static_cast<double>(which["cols"]);
    return {.bytes_read = n * sizeof(float), .bytes_written = rows * sizeof(float), .flops = n};
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    return quantile(arguments.get<float>("out"), arguments.get<float>("in"), static_cast<int>(which["rows"]),
                    static_cast<int>(which["cols"]), static_cast<int>(which["rank"]));
  }
};

}  // namespace

LADDER_LESSON(Quantile)
