// Reference, cases and work of the blank page: cross entropy.
#include "blank_page.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "grader/lesson/giant.h"
#include "grader/lesson/lesson.h"

namespace {

using ladder::Case;

// Numbers near 1000 are rounded to 2^-15, sums of a thousand exponentials to 2^-14 of their size at most.
constexpr ladder::Tolerance kTolerance = {.absolute = 0x1p-10, .relative = 0x1p-20};

class CrossEntropy : public ladder::Lesson, public ladder::Giant {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    std::vector<Case> cases;
    const auto add = [&](std::int64_t rows, std::int64_t cols, const char* variant = "mixed",
                         Case::Use use = Case::Use::check) {
      cases.push_back({{{"rows", rows}, {"cols", cols}}, variant, use});
    };
    // Around a warp and a block.
    constexpr std::int64_t kShapes[][2] = {{0, 5},    {1, 1},    {3, 1},    {1, 2},      {2, 31},
                                           {5, 32},   {4, 33},   {33, 7},   {3, 255},    {7, 257},
                                           {5, 1023}, {2, 1025}, {2, 4099}, {1, 10'007}, {1023, 3}};
    for (const auto& [rows, cols] : kShapes) add(rows, cols);
    for (const char* variant :
         {"far above 0", "far below 0", "rising", "masked", "one above all", "label far below"})
      for (const auto& [rows, cols] : {std::pair{3, 7}, {3, 33}, {2, 2048}, {1, 5001}})
        add(rows, cols, variant);
    if (device == ladder::DeviceKind::gpu) {
      add(70'001, 64);  // more rows than a grid may have blocks in y
      add(131'072, 1'024, "mixed", Case::Use::time);
    } else {
      add(4'096, 1'024, "mixed", Case::Use::time);
    }
    return cases;
  }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const Case& which = problem.which();
    const std::int64_t rows = which["rows"], cols = which["cols"];
    const auto in = problem.input<float>("in", {rows, cols});
    const float shift = which.variant == "far above 0"   ? 1000.0f
                        : which.variant == "far below 0" ? -1000.0f
                                                         : 0;
    random.uniform(in, shift - 8, shift + 8);
    const auto label = problem.input<int>("label", {rows});
    for (std::int64_t row = 0; row < rows; ++row)
      label[row] = adapt(in.subspan(row * cols, cols), which, random);
    problem.output<float>("loss", {rows});
  }

  void reference(ladder::Problem& problem) const override {
    const std::int64_t rows = problem.which()["rows"], cols = problem.which()["cols"];
    const auto in = problem.read<float>("in");
    const auto label = problem.read<int>("label");
    const auto loss = problem.expect("loss", kTolerance);
    for (std::int64_t row = 0; row < rows; ++row) {
      const auto x = in.subspan(row * cols, cols);
      const double largest = *std::max_element(x.begin(), x.end());
      double sum = 0;
      for (const float value : x) sum += std::exp(value - largest);
      loss[row] = std::log(sum) + (largest - x[label[row]]);
    }
  }

  std::vector<Case> giant_cases() const override {
    return {{{{"rows", 70'001}, {"cols", 7}}, "mixed", Case::Use::check},  // than a grid has blocks in y
            {{{"rows", 901'000'007}, {"cols", 7}}, "mixed", Case::Use::check},
            {{{"rows", 6'000'011}, {"cols", 1'031}}, "mixed", Case::Use::check},
            {{{"rows", 100'003}, {"cols", 65'536}}, "mixed", Case::Use::check}};
  }

  void outline(ladder::Problem& problem) const override {
    const std::int64_t rows = problem.which()["rows"], cols = problem.which()["cols"];
    problem.input<float>("in", {rows, cols});
    problem.input<int>("label", {rows});
    problem.output<float>("loss", {rows});
  }

  /// A label is a column, and no giant case has fewer than seven.
  double adapt(std::string_view input, double drawn) const override {
    return input == "label" ? std::fmod(std::abs(drawn), 7) : drawn;
  }

  double element(const Case& which, std::string_view, std::int64_t row, const Input& in) const override {
    const std::int64_t begin = row * which["cols"];
    double sum = 0;
    for (std::int64_t col = 0; col < which["cols"]; ++col) sum += std::exp(in("in", begin + col));
    return std::log(sum) - in("in", begin + static_cast<std::int64_t>(in("label", row)));
  }

  ladder::Tolerance tolerance(const Case&) const override { return kTolerance; }

  ladder::Work work(const Case& which) const override {
    const double rows = static_cast<double>(which["rows"]), n = rows * static_cast<double>(which["cols"]);
    return {.bytes_read = n * sizeof(float) + rows * sizeof(int),
            .bytes_written = rows * sizeof(float),
            .flops = 4 * n};
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    return cross_entropy(arguments.get<float>("loss"), arguments.get<float>("in"),
                         arguments.get<int>("label"), static_cast<int>(which["rows"]),
                         static_cast<int>(which["cols"]));
  }

 private:
  /// Makes a row what its variant says.
  /// @return its label
  static int adapt(std::span<float> row, const Case& which, ladder::Random& random) {
    std::size_t possible = row.size();
    if (which.variant == "rising") {
      std::sort(row.begin(), row.end());  // the maximum grows at every element
    } else if (which.variant == "one above all") {
      row[random.next() % 2 == 0 ? 0 : row.size() - 1] = 60.0f;
    } else if (which.variant == "label far below") {
      // exp(x[label] - largest) is 0 in any type: who takes its logarithm has an infinity
      const std::size_t wanted = random.next() % row.size();
      row[(wanted + 1) % row.size()] = 2000.0f;
      row[wanted] = -2000.0f;
      return static_cast<int>(wanted);
    } else if (which.variant == "masked") {
      possible = 1 + random.next() % std::min<std::size_t>(row.size(), 40);
      for (float& value : row.subspan(possible)) value = -std::numeric_limits<float>::infinity();
    }
    return static_cast<int>(random.next() % possible);
  }
};

}  // namespace

LADDER_LESSON(CrossEntropy)
