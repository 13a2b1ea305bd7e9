// Reference, cases and work of the blank page: a triangular system.
#include "blank_page.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grader/lesson/lesson.h"
#include "grader/lesson/scratch.h"

namespace {

using ladder::Case;

// Which rows a row needs.
constexpr std::string_view kAny = "any";        // up to 8 before it
constexpr std::string_view kChain = "chain";    // the one before it
constexpr std::string_view kLevels = "levels";  // 8 of the 4096 before the last multiple of 1024
constexpr std::string_view kLong = "long";      // the first of a hundred, all before it; the others, that one

Case rows_of(std::string_view kind, std::int64_t n, Case::Use use = Case::Use::check) {
  return {{{"n", n}}, std::string(kind), use};
}

class Solve : public ladder::Lesson {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    std::vector<Case> cases;
    for (const int n : {0, 1, 2, 31, 33, 257, 1000}) cases.push_back(rows_of(kAny, n));
    for (const int n : {2, 65, 300}) cases.push_back(rows_of(kChain, n));
    for (const int n : {101, 450}) cases.push_back(rows_of(kLong, n));
    cases.push_back(rows_of(kLevels, 1500));
    const bool gpu = device == ladder::DeviceKind::gpu;
    if (gpu)
      for (const std::string_view kind : {kAny, kChain, kLevels}) cases.push_back(rows_of(kind, 100'003));
    cases.push_back(rows_of(kLevels, gpu ? 1 << 18 : 1 << 13, Case::Use::time));
    return cases;
  }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const std::int64_t n = problem.which()["n"];
    const std::string_view kind = problem.which().variant;
    std::vector<int> starts = {0}, cols;
    for (std::int64_t row = 0; row < n; ++row) {
      const auto add = [&](std::int64_t from, std::int64_t below) {
        cols.push_back(static_cast<int>(from + static_cast<std::int64_t>(random.next() % (below - from))));
      };
      const std::int64_t level = row / 1024 * 1024;
      if (row > 0 && kind == kChain) add(row - 1, row);
      if (kind == kLong)
        for (std::int64_t col = row % 100 == 0 ? 0 : row - 1; col < row; ++col) add(col, col + 1);
      if (level > 0 && kind == kLevels)
        for (int i = 0; i < 8; ++i) add(std::max<std::int64_t>(0, level - 4096), level);
      if (row > 0 && kind == kAny)
        for (std::uint64_t i = random.next() % 9; i > 0; --i) add(0, row);
      starts.push_back(static_cast<int>(cols.size()));
    }
    const auto stored = [&](const char* name, const std::vector<int>& values) {
      const auto to = problem.input<int>(name, {static_cast<std::int64_t>(values.size())});
      std::copy(values.begin(), values.end(), to.begin());
    };
    stored("starts", starts);
    stored("cols", cols);
    random.uniform(problem.input<unsigned>("factors", {static_cast<std::int64_t>(cols.size())}), 0u, ~0u);
    random.uniform(problem.input<unsigned>("b", {n}), 0u, ~0u);
    problem.output<unsigned>("x", {n});
  }

  void reference(ladder::Problem& problem) const override {
    const auto starts = problem.read<int>("starts"), cols = problem.read<int>("cols");
    const auto factors = problem.read<unsigned>("factors"), b = problem.read<unsigned>("b");
    std::vector<unsigned> x(b.begin(), b.end());
    for (std::size_t row = 0; row < x.size(); ++row)
      for (int k = starts[row]; k < starts[row + 1]; ++k) x[row] -= factors[k] * x[cols[k]];
    std::copy(x.begin(), x.end(), problem.expect("x", {}).begin());
  }

  ladder::Work work(const Case& which) const override {
    const auto n = static_cast<double>(which["n"]);
    const double elements = which.variant == kLevels ? 8 * std::max(0.0, n - 1024) : n;
    return {.bytes_read = (2 * n + 1 + 3 * elements) * sizeof(unsigned),
            .bytes_written = n * sizeof(unsigned)};
  }

  cudaError_t prepare(const Case& which, const ladder::Arguments&) override {
    const std::int64_t words = 2 * which["n"] + 2;
    const cudaError_t error = ladder::allocate_scratch(&work_, "work", words);
    return error == cudaSuccess ? cudaMemset(work_, 0, words * sizeof(unsigned)) : error;
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    return solve(arguments.get<unsigned>("x"), work_, arguments.get<int>("starts"),
                 arguments.get<int>("cols"), arguments.get<unsigned>("factors"), arguments.get<unsigned>("b"),
                 static_cast<int>(which["n"]));
  }

  cudaError_t finish(const Case&, const ladder::Arguments&) override { return cudaFree(work_); }

 private:
  unsigned* work_ = nullptr;
};

}  // namespace

LADDER_LESSON(Solve)
