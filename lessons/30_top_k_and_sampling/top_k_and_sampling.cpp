// Reference, cases and work of the lesson; the rungs are the .cu files beside this one.
#include "top_k_and_sampling.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grader/lesson/lesson.h"
#include "grader/lesson/parallel.h"
#include "grader/lesson/scratch.h"

namespace {

using ladder::Case;

constexpr std::int64_t kChunk = 65536;  // of a parallel_for: a chunk of one row or more each
constexpr float kInfinity = std::numeric_limits<float>::infinity();

class TopK : public ladder::Lesson {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    std::vector<Case> cases;
    const auto add = [&](std::int64_t rows, std::int64_t cols, std::int64_t k, const char* variant = "mixed",
                         Case::Use use = Case::Use::check) {
      cases.push_back({{{"rows", rows}, {"cols", cols}, {"k", k}}, variant, use});
    };
    // Around a block, what a block holds, and what is divided among blocks; k from 1 to the whole row.
    constexpr std::int64_t kShapes[][3] = {{0, 8, 3},     {1, 4, 1},     {3, 4, 4},      {65, 8, 5},
                                           {2, 64, 64},   {3, 100, 50},  {2, 252, 7},    {2, 256, 64},
                                           {3, 260, 50},  {2, 1024, 1},  {2, 1100, 64},  {2, 2052, 33},
                                           {2, 5000, 50}, {1, 8188, 50}, {1, 16384, 64}, {1, 20004, 50}};
    for (const auto& [rows, cols, k] : kShapes) add(rows, cols, k);
    for (const char* variant : {"ascending", "descending", "equal", "few values", "all -infinity", "masked",
                                "zeros of both signs", "huge", "last is largest"})
      for (const auto& [rows, cols, k] :
           {std::array<std::int64_t, 3>{2, 260, 50}, {1, 5000, 50}, {1, 20004, 64}})
        add(rows, cols, k, variant);
    // Rows of several blocks, and of more than a block holds at a time.
    add(1, 70'004, 50);
    add(1, 70'004, 8, "ascending");
    add(1, 70'004, 64, "few values");
    if (device == ladder::DeviceKind::gpu) {
      add(70'001, 64, 8);  // more rows than a grid may have blocks in y
      add(7, 128'256, 64);
      add(3, 128'256, 50, "ascending");
      add(256, 128'256, 50, "mixed", Case::Use::time);
    } else {
      add(16, 16'384, 50, "mixed", Case::Use::time);
    }
    return cases;
  }

  bool valid(const Case& which) const override {
    return which["k"] >= 1 && which["k"] <= kMostK && which["cols"] >= which["k"] && which["cols"] % 4 == 0;
  }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const Case& which = problem.which();
    const std::int64_t rows = which["rows"], cols = which["cols"];
    const auto in = problem.input<float>("in", {rows, cols});
    const float spread = which.variant == "huge" ? 3e38f : 8;
    random.uniform(in, -spread, spread);
    for (std::int64_t row = 0; row < rows && cols > 0; ++row)
      adapt(in.subspan(row * cols, cols), which.variant, random);
    problem.output<float>("values", {rows, which["k"]});
    problem.output<int>("indices", {rows, which["k"]});
  }

  void reference(ladder::Problem& problem) const override {
    const std::int64_t cols = problem.which()["cols"], k = problem.which()["k"];
    const auto in = problem.read<float>("in");
    const auto values = problem.expect("values", {}), indices = problem.expect("indices", {});
    ladder::parallel_for(problem.which()["rows"] * kChunk, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin / kChunk; row * kChunk < end; ++row) {
        const auto from = in.subspan(row * cols, cols);
        std::vector<int> order(from.size());
        std::iota(order.begin(), order.end(), 0);
        std::partial_sort(order.begin(), order.begin() + k, order.end(),
                          [&](int a, int b) { return from[a] > from[b] || (from[a] == from[b] && a < b); });
        for (std::int64_t i = 0; i < k; ++i) {
          values[row * k + i] = from[order[i]];
          indices[row * k + i] = order[i];
        }
      }
    });
  }

  ladder::Work work(const Case& which) const override {
    const double rows = static_cast<double>(which["rows"]), n = rows * static_cast<double>(which["cols"]);
    return {.bytes_read = n * sizeof(float),
            .bytes_written = rows * static_cast<double>(which["k"]) * (sizeof(float) + sizeof(int)),
            .flops = n};
  }

  cudaError_t prepare(const Case& which, const ladder::Arguments&) override {
    const int rows = static_cast<int>(which["rows"]);
    const cudaError_t error = ladder::allocate_scratch(&scratch_, "scratch", scratch_elements(rows));
    if (error != cudaSuccess || rows == 0) return error;
    return cudaMemset(scratch_, 0, static_cast<std::size_t>(rows) * sizeof(Entry));
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    return top_k(arguments.get<float>("values"), arguments.get<int>("indices"), arguments.get<float>("in"),
                 static_cast<int>(which["rows"]), static_cast<int>(which["cols"]),
                 static_cast<int>(which["k"]), scratch_);
  }

  cudaError_t finish(const Case&, const ladder::Arguments&) override { return cudaFree(scratch_); }

 private:
  static void adapt(std::span<float> row, std::string_view variant, ladder::Random& random) {
    if (variant == "ascending") {
      std::sort(row.begin(), row.end());  // every element is among the largest so far
    } else if (variant == "descending") {
      std::sort(row.rbegin(), row.rend());
    } else if (variant == "equal") {
      std::fill(row.begin(), row.end(), row[0]);
    } else if (variant == "few values") {
      for (float& value : row) value = static_cast<float>(random.next() % 3);  // ties at the k-th place
    } else if (variant == "all -infinity") {
      std::fill(row.begin(), row.end(), -kInfinity);
    } else if (variant == "masked") {
      for (float& value : row)
        if (random.next() % 64 != 0) value = -kInfinity;
      row[random.next() % row.size()] = kInfinity;
    } else if (variant == "zeros of both signs") {
      for (float& value : row) value = random.next() % 2 ? 0.0f : -0.0f;  // equal: only indices decide
    } else if (variant == "last is largest") {
      row.back() = 9;
    }
  }

  Entry* scratch_ = nullptr;
};

}  // namespace

LADDER_LESSON(TopK)
