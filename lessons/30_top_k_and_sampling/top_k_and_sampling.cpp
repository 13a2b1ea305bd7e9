// Reference, cases and work of the lesson; the rungs are the .cu files beside this one.
#include "top_k_and_sampling.h"

#include <algorithm>
#include <array>
#include <cmath>
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

// A rung defines one of the two; the address of the other is null.
cudaError_t top_k(float*, int*, const float*, int, int, int, Entry*) __attribute__((weak));
cudaError_t sample(int*, float*, const float*, const float*, const float*, const float*, int, int, int,
                   Entry*) __attribute__((weak));

namespace {

using ladder::Case;

constexpr std::int64_t kChunk = 65536;  // of a parallel_for: a chunk of one row or more each
constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// Cases of sample(): "draw", and what their rows are behind a comma.
bool draws(const Case& which) { return which.variant.starts_with("draw"); }
std::string_view rows_of(const Case& which) {
  const std::string_view variant = which.variant;
  return !draws(which) ? variant : variant == "draw" ? "mixed" : variant.substr(sizeof("draw,"));
}

/// What single precision may be off by: where more of it would draw another token, the case is another one.
constexpr double kBlur = 2e-5;

/// The columns of the k largest, in order.
std::vector<int> largest(std::span<const float> row, std::int64_t k) {
  std::vector<int> order(row.size());
  std::iota(order.begin(), order.end(), 0);
  std::partial_sort(order.begin(), order.begin() + k, order.end(),
                    [&](int a, int b) { return row[a] > row[b] || (row[a] == row[b] && a < b); });
  order.resize(k);
  return order;
}

/// Which of the k largest is drawn, and how likely it was.
struct Drawn {
  std::size_t place = 0;
  double probability = 1;
};

/// @param sums  of the weights, from the largest to each
Drawn draw(const std::vector<double>& sums, double top_p, double uniform) {
  const auto reaching = std::lower_bound(sums.begin(), sums.end(), top_p * sums.back());
  const double total = reaching == sums.end() ? sums.back() : *reaching;
  const auto last = std::lower_bound(sums.begin(), sums.end(), total);
  const auto above = std::min(std::upper_bound(sums.begin(), sums.end(), uniform * total), last);
  const auto place = static_cast<std::size_t>(above - sums.begin());
  return {place, (sums[place] - (place > 0 ? sums[place - 1] : 0)) / total};
}

/// The sums of the weights of the k largest.
std::vector<double> weights(std::span<const float> row, const std::vector<int>& order, double temperature) {
  std::vector<double> sums;
  for (const int col : order) {
    const double own =
        row[col] == row[order[0]] ? 1 : std::exp((double{row[col]} - row[order[0]]) / temperature);
    sums.push_back(own + (sums.empty() ? 0 : sums.back()));
  }
  return sums;
}

class TopK : public ladder::Lesson {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    std::vector<Case> cases;
    const auto add = [&](std::int64_t rows, std::int64_t cols, std::int64_t k, const char* variant = "mixed",
                         Case::Use use = Case::Use::check) {
      cases.push_back({{{"rows", rows}, {"cols", cols}, {"k", k}}, variant, use});
    };
    // Around a block, what a block holds, and what is divided among blocks; k from 1 to the whole row.
    constexpr std::int64_t kShapes[][3] = {
        {0, 8, 3},     {1, 4, 1},     {3, 4, 4},     {65, 8, 5},     {2, 512, 2},   {2, 64, 64},
        {3, 100, 50},  {2, 252, 7},   {2, 256, 64},  {3, 260, 50},   {2, 1024, 1},  {2, 1100, 64},
        {2, 2052, 33}, {2, 5000, 50}, {1, 8188, 50}, {1, 16384, 64}, {1, 20004, 50}};
    for (const auto& [rows, cols, k] : kShapes) add(rows, cols, k);
    for (const char* variant : {"ascending", "descending", "equal", "few values", "all -infinity", "masked",
                                "zeros of both signs", "huge", "last is largest"})
      for (const auto& [rows, cols, k] :
           {std::array<std::int64_t, 3>{2, 260, 50}, {1, 5000, 50}, {1, 20004, 64}})
        add(rows, cols, k, variant);
    for (const auto& [rows, cols, k] : {std::array<std::int64_t, 3>{0, 8, 3},
                                        {1, 4, 1},
                                        {3, 4, 4},
                                        {65, 8, 5},
                                        {2, 100, 31},
                                        {9, 256, 64},
                                        {7, 1028, 50},
                                        {3, 5000, 33},
                                        {2, 16384, 64}})
      add(rows, cols, k, "draw");
    for (const char* variant : {"draw, equal", "draw, few values", "draw, all -infinity", "draw, masked",
                                "draw, huge", "draw, cold", "draw, all of them"})
      for (const auto& [rows, cols, k] : {std::array<std::int64_t, 3>{9, 260, 50}, {2, 9000, 64}})
        add(rows, cols, k, variant);
    // Rows of several blocks, and of more than a block holds at a time.
    add(1, 70'004, 50);
    add(1, 70'004, 8, "ascending");
    add(1, 70'004, 64, "few values");
    if (device == ladder::DeviceKind::gpu) {
      add(70'001, 64, 8);  // more rows than a grid may have blocks in y
      add(7, 128'256, 64);
      add(3, 128'256, 50, "ascending");
      add(7, 128'256, 64, "draw");
      add(256, 128'256, 50, "mixed", Case::Use::time);
      add(256, 128'256, 50, "draw", Case::Use::time);
    } else {
      add(16, 16'384, 50, "mixed", Case::Use::time);
      add(16, 16'384, 50, "draw", Case::Use::time);
    }
    return cases;
  }

  bool valid(const Case& which) const override {
    return which["k"] >= 1 && which["k"] <= kMostK && which["cols"] >= which["k"] && which["cols"] % 4 == 0;
  }

  bool applies(const Case& which, std::string_view rung) const override {
    return draws(which) == (rung.find("sample") != std::string_view::npos);
  }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const Case& which = problem.which();
    const std::int64_t rows = which["rows"], cols = which["cols"];
    const auto in = problem.input<float>("in", {rows, cols});
    const float spread = rows_of(which) == "huge" ? 3e38f : 8;
    random.uniform(in, -spread, spread);
    for (std::int64_t row = 0; row < rows && cols > 0; ++row)
      adapt(in.subspan(row * cols, cols), rows_of(which), random);
    if (draws(which)) return declare_draw(problem, in, random);
    problem.output<float>("values", {rows, which["k"]});
    problem.output<int>("indices", {rows, which["k"]});
  }

  void reference(ladder::Problem& problem) const override {
    if (draws(problem.which())) return reference_draw(problem);
    const std::int64_t cols = problem.which()["cols"], k = problem.which()["k"];
    const auto in = problem.read<float>("in");
    const auto values = problem.expect("values", {}), indices = problem.expect("indices", {});
    ladder::parallel_for(problem.which()["rows"] * kChunk, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin / kChunk; row * kChunk < end; ++row) {
        const auto from = in.subspan(row * cols, cols);
        const std::vector<int> order = largest(from, k);
        for (std::int64_t i = 0; i < k; ++i) {
          values[row * k + i] = from[order[i]];
          indices[row * k + i] = order[i];
        }
      }
    });
  }

  ladder::Work work(const Case& which) const override {
    const double rows = static_cast<double>(which["rows"]), n = rows * static_cast<double>(which["cols"]);
    if (draws(which)) return {.bytes_read = n * sizeof(float), .bytes_written = rows * 8, .flops = n};
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
    // Where nothing is timed, the function is called twice: the second call finds the counters as the first
    // one left them, and none of its results.
    cudaError_t error = call(which, arguments);
    if (error != cudaSuccess || which.use == Case::Use::time) return error;
    const std::int64_t rows = which["rows"], all = rows * which["k"];
    if (draws(which)) {
      error = ladder::forget(arguments.get<int>("tokens"), rows);
      if (error == cudaSuccess) error = ladder::forget(arguments.get<float>("probabilities"), rows);
    } else {
      error = ladder::forget(arguments.get<float>("values"), all);
      if (error == cudaSuccess) error = ladder::forget(arguments.get<int>("indices"), all);
    }
    if (error == cudaSuccess)
      error = ladder::forget(scratch_ + rows, scratch_elements(static_cast<int>(rows)) - rows);
    return error == cudaSuccess ? call(which, arguments) : error;
  }

  cudaError_t finish(const Case&, const ladder::Arguments&) override { return cudaFree(scratch_); }

 private:
  cudaError_t call(const Case& which, const ladder::Arguments& arguments) const {
    const int rows = static_cast<int>(which["rows"]), cols = static_cast<int>(which["cols"]),
              k = static_cast<int>(which["k"]);
    if (draws(which)) {
      if (&sample == nullptr) throw ladder::Objection("this rung lacks sample(int*, ...)");
      return sample(arguments.get<int>("tokens"), arguments.get<float>("probabilities"),
                    arguments.get<float>("in"), arguments.get<float>("temperature"),
                    arguments.get<float>("top_p"), arguments.get<float>("uniform"), rows, cols, k, scratch_);
    }
    if (&top_k == nullptr) throw ladder::Objection("this rung lacks top_k(float*, ...)");
    return top_k(arguments.get<float>("values"), arguments.get<int>("indices"), arguments.get<float>("in"),
                 rows, cols, k, scratch_);
  }

  /// Settings of each row, as requests of many users have them, none of them at an edge.
  static void declare_draw(ladder::Problem& problem, std::span<const float> in, ladder::Random& random) {
    const Case& which = problem.which();
    const std::int64_t rows = which["rows"], cols = which["cols"], k = which["k"];
    const auto temperature = problem.input<float>("temperature", {rows}),
               top_p = problem.input<float>("top_p", {rows}),
               uniform = problem.input<float>("uniform", {rows});
    random.uniform(temperature, 0.5f, 2.0f);
    random.uniform(top_p, 0.3f, 1.0f);
    random.uniform(uniform, 0.0f, 0.999f);
    for (std::int64_t row = 0; row < rows; ++row) {
      if (rows_of(which) == "cold") temperature[row] = 0x1p-20f;  // nothing but the largest weighs anything
      if (rows_of(which) == "all of them") top_p[row] = 1;
      const auto from = in.subspan(row * cols, cols);
      const std::vector<double> sums = weights(from, largest(from, k), temperature[row]);
      for (int tries = 0; !is_clear(sums, top_p[row], uniform[row]); ++tries) {
        random.uniform(uniform.subspan(row, 1), 0.0f, 0.999f);
        if (rows_of(which) != "all of them") random.uniform(top_p.subspan(row, 1), 0.3f, 1.0f);
        if (tries == kTries) uniform[row] = 0;  // the largest, whatever else
        if (tries > kTries) top_p[row] = 1;
        if (tries > kTries + 1) break;
      }
    }
    problem.output<int>("tokens", {rows});
    problem.output<float>("probabilities", {rows});
  }

  /// Whether the same is drawn, as likely, if rounding moves the edges a little.
  static bool is_clear(const std::vector<double>& sums, double top_p, double uniform) {
    const Drawn exact = draw(sums, top_p, uniform);
    for (const double p : {1 - kBlur, 1 + kBlur})
      for (const double u : {1 - kBlur, 1 + kBlur}) {
        const Drawn near = draw(sums, std::min(1.0, top_p * p), uniform * u);
        if (near.place != exact.place ||
            std::abs(near.probability - exact.probability) > kBlur * exact.probability)
          return false;
      }
    return true;
  }

  static void reference_draw(ladder::Problem& problem) {
    const std::int64_t cols = problem.which()["cols"], k = problem.which()["k"];
    const auto in = problem.read<float>("in"), temperature = problem.read<float>("temperature"),
               top_p = problem.read<float>("top_p"), uniform = problem.read<float>("uniform");
    const auto tokens = problem.expect("tokens", {}),
               probabilities = problem.expect("probabilities", {.relative = 0x1p-13});
    ladder::parallel_for(problem.which()["rows"] * kChunk, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin / kChunk; row * kChunk < end; ++row) {
        const auto from = in.subspan(row * cols, cols);
        const std::vector<int> order = largest(from, k);
        const Drawn drawn = draw(weights(from, order, temperature[row]), top_p[row], uniform[row]);
        tokens[row] = order[drawn.place];
        probabilities[row] = drawn.probability;
      }
    });
  }

  static constexpr int kTries = 50;

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
