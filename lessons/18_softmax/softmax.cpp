// Reference, cases and work of the lesson; the rungs are the .cu files beside this one.
#include "softmax.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "grader/lesson/giant.h"
#include "grader/lesson/lesson.h"
#include "grader/lesson/parallel.h"

namespace {

using ladder::Case;

constexpr std::int64_t kChunk = 65536;  // of a parallel_for: a chunk of one row or more each

/// The long rows of the last rung move as many bytes as the short ones that the others are timed with.
constexpr const char* kLong = "long rows";

/// Each of a thousand roundings of the sum changes it by 2^-24 at most, and they seldom add up; an exponent
/// of 100 is rounded to 2^-18. Half precision would be off by 2^-12 and more.
constexpr ladder::Tolerance kTolerance{.absolute = 1e-30, .relative = 0x1p-13};

class Softmax : public ladder::Lesson, public ladder::Giant {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    std::vector<Case> cases;
    const auto add = [&](std::int64_t rows, std::int64_t cols, const char* variant = "mixed",
                         Case::Use use = Case::Use::check) {
      cases.push_back({{{"rows", rows}, {"cols", cols}}, variant, use});
    };
    // Around a warp, a block, and what either holds in registers; rows of whole 16-byte vectors and others.
    constexpr std::int64_t kShapes[][2] = {{0, 5},    {5, 0},    {1, 1},      {3, 1},     {1, 2},
                                           {2, 31},   {5, 32},   {4, 33},     {9, 4},     {3, 127},
                                           {2, 128},  {7, 129},  {3, 1000},   {5, 1023},  {5, 1024},
                                           {5, 1025}, {2, 4100}, {1, 10'007}, {1, 32'768}};
    for (const auto& [rows, cols] : kShapes) add(rows, cols);
    for (const char* variant : {"far above 0", "far below 0", "one above all", "masked", "masked before",
                                "equal", "huge", "lowest"})
      for (const auto& [rows, cols] : {std::pair{3, 7}, {3, 33}, {2, 2048}, {1, 5001}})
        add(rows, cols, variant);
    add(1, 32'771);
    add(1, 65'536, "one above all");
    if (device == ladder::DeviceKind::gpu) {
      add(99'991, 7);
      add(70'001, 64);  // more rows than a grid may have blocks in y
      add(257, 8'192);
      add(33, 65'536);
    }
    const std::int64_t shorter = device == ladder::DeviceKind::gpu ? 1 : 16;
    add(131'072 / shorter, 1'024, "mixed", Case::Use::time);
    add(4'096 / shorter, 32'768, kLong, Case::Use::time);
    return cases;
  }

  bool applies(const Case& which, std::string_view rung) const override {
    return which.use == Case::Use::check || (which.variant == kLong) == rung.starts_with("7_");
  }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const Case& which = problem.which();
    const std::int64_t rows = which["rows"], cols = which["cols"];
    const auto in = problem.input<float>("in", {rows, cols});
    const float shift = which.variant == "far above 0"   ? 1000.0f
                        : which.variant == "far below 0" ? -1000.0f
                                                         : 0;
    const float spread = which.variant == "huge" ? 3e38f : 8;
    random.uniform(in, shift - spread, shift + spread);
    for (std::int64_t row = 0; row < rows && cols > 0; ++row)
      adapt(in.subspan(row * cols, cols), which, random);
    problem.output<float>("out", {rows, cols});
  }

  void reference(ladder::Problem& problem) const override {
    const std::int64_t rows = problem.which()["rows"], cols = problem.which()["cols"];
    const auto in = problem.read<float>("in");
    const auto out = problem.expect("out", kTolerance);
    if (cols == 0) return;
    ladder::parallel_for(rows * kChunk, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin / kChunk; row * kChunk < end; ++row)
        softmax_of(in.subspan(row * cols, cols), out.subspan(row * cols, cols));
    });
  }

  std::vector<Case> giant_cases() const override {
    return {{{{"rows", 70'001}, {"cols", 5}}, "mixed", Case::Use::check},  // than a grid has blocks in y
            {{{"rows", 901'000'007}, {"cols", 7}}, "mixed", Case::Use::check},
            {{{"rows", 6'000'011}, {"cols", 1'031}}, "mixed", Case::Use::check},
            {{{"rows", 100'003}, {"cols", 65'536}}, "mixed", Case::Use::check}};
  }

  void outline(ladder::Problem& problem) const override {
    const std::int64_t rows = problem.which()["rows"], cols = problem.which()["cols"];
    problem.input<float>("in", {rows, cols});
    problem.output<float>("out", {rows, cols});
  }

  double element(const Case& which, std::string_view, std::int64_t i, const Input& in) const override {
    const std::int64_t cols = which["cols"], begin = i / cols * cols;
    double sum = 0;
    for (std::int64_t col = 0; col < cols; ++col) sum += std::exp(in("in", begin + col));
    return std::exp(in("in", i)) / sum;
  }

  ladder::Tolerance tolerance(const Case&) const override { return kTolerance; }

  ladder::Work work(const Case& which) const override {
    const double n = static_cast<double>(which["rows"]) * static_cast<double>(which["cols"]);
    return {.bytes_read = n * sizeof(float), .bytes_written = n * sizeof(float), .flops = 5 * n};
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    return softmax(arguments.get<float>("out"), arguments.get<float>("in"), static_cast<int>(which["rows"]),
                   static_cast<int>(which["cols"]));
  }

 private:
  static void adapt(std::span<float> row, const Case& which, ladder::Random& random) {
    const auto anywhere = [&] { return random.next() % row.size(); };
    if (which.variant == "one above all") {
      const std::size_t places[] = {row.size() - 1, row.size() - 1, 0, anywhere()};
      row[places[random.next() % 4]] = 40.0f;  // who overlooks it has another maximum and another sum
    } else if (which.variant == "masked before") {
      const std::size_t seen = 1 + random.next() % std::min<std::size_t>(row.size(), 40);
      for (float& value : row.first(row.size() - seen)) value = -std::numeric_limits<float>::infinity();
    } else if (which.variant == "lowest") {
      std::fill(row.begin(), row.end(), std::numeric_limits<float>::lowest());
    } else if (which.variant == "masked") {
      // Only the first few count, as for the first words of a text that may not see later ones.
      const std::size_t seen = 1 + random.next() % std::min<std::size_t>(row.size(), 40);
      for (float& value : row.subspan(seen)) value = -std::numeric_limits<float>::infinity();
    } else if (which.variant == "equal") {
      std::fill(row.begin(), row.end(), row[0]);
    }
  }

  static void softmax_of(std::span<const float> in, std::span<double> out) {
    const double largest = *std::max_element(in.begin(), in.end());
    double sum = 0;
    for (std::size_t i = 0; i < in.size(); ++i) sum += out[i] = std::exp(in[i] - largest);
    for (double& share : out) share /= sum;
  }
};

}  // namespace

LADDER_LESSON(Softmax)
