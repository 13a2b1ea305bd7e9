// Reference, cases and work of the lesson; the rungs are the .cu files beside this one.
#include "prefix_sum.h"

#include <algorithm>
#include <limits>
#include <string>

#include "grader/lesson/giant.h"
#include "grader/lesson/lesson.h"
#include "grader/lesson/offset.h"
#include "grader/lesson/scratch.h"

namespace {

using ladder::Case;

Case matrix(const char* variant, std::int64_t rows, std::int64_t cols, Case::Use use = Case::Use::check) {
  return {{{"rows", rows}, {"cols", cols}}, variant, use};
}

class PrefixSum : public ladder::Lesson, public ladder::Giant {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    std::vector<Case> cases;
    // Around the edges of a warp, of a block of 1024, of tiles of 4096 and 40960, and of 8192, which a
    // student may choose; some need several tiles.
    for (const std::int64_t n :
         {1, 2, 3, 4, 31, 32, 33, 127, 128, 129, 1023, 1024, 1025, 4097, 8191, 8193, 40'962, 70'001})
      cases.push_back(matrix(n % 2 ? "inclusive" : "exclusive", 1, n));
    for (const char* variant : {"inclusive", "exclusive"}) {
      cases.push_back(matrix(variant, 0, 5));
      cases.push_back(matrix(variant, 7, 0));
      cases.push_back(matrix(variant, 65, 1));
      cases.push_back(matrix(variant, 3, 1028));    // rows at multiples of 16 bytes
      cases.push_back(matrix(variant, 2, 33'333));  // rows of several tiles, at odd places
      ladder::add_with_offsets(cases, matrix(variant, 2, 4096), {"out", "in", "scratch"});
    }
    for (const char* variant : {"columns, inclusive", "columns, exclusive"}) {
      cases.push_back(matrix(variant, 17, 65));
      cases.push_back(matrix(variant, 129, 3));
      ladder::add_with_offsets(cases, matrix(variant, 4, 64), {"out", "in"});
    }
    cases.push_back(matrix("columns, inclusive", 1, 65'536));  // more than a grid has blocks in y
    for (const std::string start : {"large", "all 0", "all sums -1", "all sums smallest", "all sums largest"})
      for (const char* end : {", inclusive", ", exclusive"}) {
        cases.push_back(matrix((start + end).c_str(), 3, 1025));
        cases.push_back(matrix((start + end).c_str(), 1, 40'962));
      }
    if (device == ladder::DeviceKind::gpu) {
      cases.push_back(matrix("exclusive", 1, 999'983));
      cases.push_back(matrix("inclusive", 100'003, 11));  // many short rows
      cases.push_back(matrix("inclusive", 5, 400'000));
    }
    const std::int64_t large = device == ladder::DeviceKind::gpu ? 268'435'456 : 1'048'576;
    cases.push_back(matrix("inclusive", 1, large, Case::Use::time));
    return cases;
  }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const std::int64_t rows = problem.which()["rows"], cols = problem.which()["cols"];
    const auto in = problem.input<int>("in", {rows, cols});
    // As large as no sum on the way can overflow with, of both signs, and none of them 0: whoever drops or
    // doubles an element is off from there on.
    const std::int64_t longest = std::max<std::int64_t>({rows, cols, 1});
    const int largest =
        static_cast<int>(std::min<std::int64_t>(1'000'000, std::numeric_limits<int>::max() / longest));
    const std::string& variant = problem.which().variant;
    random.uniform(in, variant.starts_with("large") ? largest / 2 + 1 : -largest, largest);
    for (int& value : in) value = value == 0 ? largest : value;
    if (variant.starts_with("all")) fill_for_sum(in, cols, variant);
    problem.output<int>("out", {rows, cols});
  }

  void reference(ladder::Problem& problem) const override {
    const Case& which = problem.which();
    const std::int64_t rows = which["rows"], cols = which["cols"];
    const bool inclusive = kind(which) == Kind::inclusive;
    const auto in = problem.read<int>("in");
    const auto out = problem.expect("out", {});  // integers: nothing is rounded
    const bool along_rows = direction(which) == Direction::along_rows;
    const std::int64_t lines = along_rows ? rows : cols, length = along_rows ? cols : rows;
    const std::int64_t line_step = along_rows ? cols : 1, step = along_rows ? 1 : cols;
    for (std::int64_t line = 0; line < lines; ++line) {
      double sum = 0;
      for (std::int64_t k = 0; k < length; ++k) {
        const std::int64_t i = line * line_step + k * step;
        const double before = sum;
        sum += in[i];
        out[i] = inclusive ? sum : before;
      }
    }
  }

  /// More rows than a grid has blocks in y, too many for a block each to be simulated.
  std::vector<Case> giant_cases() const override {
    return {matrix("inclusive", 70'001, 3), matrix("exclusive", 70'001, 3)};
  }

  void outline(ladder::Problem& problem) const override {
    const std::int64_t rows = problem.which()["rows"], cols = problem.which()["cols"];
    problem.input<int>("in", {rows, cols});
    problem.output<int>("out", {rows, cols});
  }

  double element(const Case& which, std::string_view, std::int64_t i, const Input& in) const override {
    const std::int64_t end = kind(which) == Kind::inclusive ? i + 1 : i;
    double sum = 0;
    for (std::int64_t k = i - i % which["cols"]; k < end; ++k) sum += in("in", k);
    return sum;
  }

  ladder::Work work(const Case& which) const override {
    const double n = static_cast<double>(which["rows"]) * static_cast<double>(which["cols"]);
    return {.bytes_read = n * sizeof(int), .bytes_written = n * sizeof(int), .flops = n};
  }

  cudaError_t prepare(const Case& which, const ladder::Arguments&) override {
    before_scratch_ = ladder::offset_of(which, "scratch");
    return ladder::allocate_scratch(&scratch_, "scratch", scratch_words(which["rows"], which["cols"]),
                                    before_scratch_);
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    return prefix_sum(arguments.get<int>("out"), arguments.get<int>("in"), which["rows"], which["cols"],
                      kind(which), direction(which), scratch_ + before_scratch_);
  }

  cudaError_t finish(const Case&, const ladder::Arguments&) override { return cudaFree(scratch_); }

 private:
  /// Every sum on the way, and so every total that a block may hand on, is a number that somebody might take
  /// for "not known yet".
  static void fill_for_sum(std::span<int> in, std::int64_t cols, const std::string& variant) {
    const int sum = variant.starts_with("all 0")               ? 0
                    : variant.starts_with("all sums -1")       ? -1
                    : variant.starts_with("all sums smallest") ? std::numeric_limits<int>::min()
                                                               : std::numeric_limits<int>::max();
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::int64_t>(i) % cols == 0 ? sum : 0;
  }

  static Kind kind(const Case& which) {
    return which.variant.ends_with("exclusive") ? Kind::exclusive : Kind::inclusive;
  }
  static Direction direction(const Case& which) {
    return which.variant.starts_with("columns") ? Direction::down_columns : Direction::along_rows;
  }

  unsigned long long* scratch_ = nullptr;
  std::int64_t before_scratch_ = 0;  ///< words that are not the rung's
};

}  // namespace

LADDER_LESSON(PrefixSum)
