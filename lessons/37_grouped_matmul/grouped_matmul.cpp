// Reference, cases and work of the lesson; the rungs are the .cu files beside this one.
#include "grouped_matmul.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grader/lesson/lesson.h"
#include "grader/lesson/scratch.h"
#include "judge/experts.h"

// A rung defines one of the four; the addresses of the others are null.
cudaError_t grouped_matmul(__nv_bfloat16*, const __nv_bfloat16*, const __nv_bfloat16*, const int*, int, int,
                           int, int) __attribute__((weak));
cudaError_t gathered_matmul(__nv_bfloat16*, const __nv_bfloat16*, const __nv_bfloat16*, const int*,
                            const int*, int, int, int, int, int) __attribute__((weak));
cudaError_t combined_matmul(__nv_bfloat16*, __nv_bfloat16*, const __nv_bfloat16*, const __nv_bfloat16*,
                            const int*, const int*, const float*, int, int, int, int, int)
    __attribute__((weak));
cudaError_t sort_by_expert(int*, int*, const int*, int, int) __attribute__((weak));

namespace {

using ladder::Case;
using Bf16 = __nv_bfloat16;

// What a case's variant begins with: the function.
constexpr const char* kGrouped = "grouped_matmul";
constexpr const char* kGathered = "gathered_matmul";
constexpr const char* kCombined = "combined_matmul";
constexpr const char* kSort = "sort_by_expert";

bool is(const Case& which, const char* function) { return which.variant.starts_with(function); }

/// What comes behind the function's name and a comma: how rows are spread.
std::string_view kind_of(const Case& which) {
  const std::string_view variant = which.variant;
  const std::size_t comma = variant.find(", ");
  return comma == std::string_view::npos ? kMixed : variant.substr(comma + 2);
}

/// @param rows  of the products; made of tokens and top_k where the function has them
Case layer(const std::string& function, const char* kind, std::int64_t experts, std::int64_t rows,
           std::int64_t top_k, std::int64_t n, std::int64_t k, Case::Use use = Case::Use::check) {
  Case made = {{{"experts", experts}}, function + ", " + kind, use};
  if (function == kGrouped) {
    made.extents.emplace_back("rows", rows);
  } else {
    made.extents.emplace_back("tokens", rows / top_k);
    made.extents.emplace_back("top_k", top_k);
  }
  made.extents.emplace_back("n", n);
  made.extents.emplace_back("k", k);
  return made;
}

Case choices(const char* kind, std::int64_t experts, std::int64_t pairs, Case::Use use = Case::Use::check) {
  return {{{"experts", experts}, {"pairs", pairs}}, std::string(kSort) + ", " + kind, use};
}

std::int64_t rows_of(const Case& which) {
  if (is(which, kSort)) return which["pairs"];
  return is(which, kGrouped) ? which["rows"] : which["tokens"] * which["top_k"];
}

int get(const Case& which, const char* name) { return static_cast<int>(which[name]); }

class GroupedMatmul : public ladder::Lesson {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    const bool gpu = device == ladder::DeviceKind::gpu;
    std::vector<Case> cases;
    for (const std::string function : {kGrouped, kGathered, kCombined}) {
      const auto add = [&](const char* kind, std::int64_t experts, std::int64_t rows, std::int64_t top_k,
                           std::int64_t n, std::int64_t k, Case::Use use = Case::Use::check) {
        cases.push_back(layer(function, kind, experts, rows, top_k, n, k, use));
      };
      // Nothing at all; one of each; around a tile's rows and its columns, and steps of 64; more steps than
      // stages; more experts than lanes, and than rows.
      add(kMixed, 1, 0, 1, 8, 8);
      add(kMixed, 3, 6, 2, 0, 8);
      add(kMixed, 2, 6, 3, 8, 0);
      add(kMixed, 1, 1, 1, 8, 8);
      add(kMixed, 4, 4, 2, 8, 16);
      add(kMixed, 3, 129, 3, 256, 64);
      add(kMixed, 7, 130, 2, 24, 72);
      add(kMixed, 5, 333, 3, 264, 40);
      add(kMixed, 33, 96, 8, 16, 24);
      add(kMixed, kMostExperts, 40, 4, 8, 8);
      add(kMixed, 4, 200, 1, 72, 392);
      add(kMixed, 40, 1000, 2, 16, 40);
      add(kOne, 5, 300, 2, 8, 136);
      add(kOne, 200, 130, 1, 264, 8);
      add(kEven, 4, 512, 2, 256, 64);
      add(kEven, 8, 96, 2, 40, 64);
      if (gpu) {
        add(kMixed, 61, 4002, 6, 1032, 520);
        add(kOne, 8, 5000, 2, 520, 264);
        add(kEven, 128, 1024, 8, 776, 1024);
        if (function == kCombined)
          add(kSkewed, 128, 32'768, 8, 2048, 768, Case::Use::time);
        else
          add(kSkewed, 128, 32'768, 8, 1536, 2048, Case::Use::time);
      } else {
        add(kMixed, 21, 1500, 2, 1544, 136);  // more tiles than multiprocessors
        add(kOne, 3, 2400, 2, 2056, 8);       // and row tiles than a band has
        add(kSkewed, 12, 2048, 4, 1536, 256, Case::Use::time);
      }
    }
    // Around a block's threads; more blocks' turns than one; more experts than pairs.
    for (const auto& [experts, pairs] : {std::pair{1, 0},
                                         {5, 0},
                                         {1, 1},
                                         {3, 31},
                                         {4, 100},
                                         {8, 1023},
                                         {7, 1024},
                                         {6, 1025},
                                         {kMostExperts, 70},
                                         {33, 4500}})
      cases.push_back(choices(kMixed, experts, pairs));
    cases.push_back(choices(kOne, 9, 2500));
    cases.push_back(choices(kEven, 16, 2048));
    if (gpu) cases.push_back(choices(kMixed, kMostExperts, 500'009));
    cases.push_back(gpu ? choices(kSkewed, 128, 32'768, Case::Use::time)
                        : choices(kSkewed, 32, 16'384, Case::Use::time));
    return cases;
  }

  bool valid(const Case& which) const override {
    if (which["experts"] < 1 || which["experts"] > kMostExperts) return false;
    if (is(which, kSort)) return true;
    if (!is(which, kGrouped) && which["top_k"] < 1) return false;
    return which["n"] % 8 == 0 && which["k"] % 8 == 0;
  }

  bool applies(const Case& which, std::string_view rung) const override {
    const auto has = [&](const char* word) { return rung.find(word) != std::string_view::npos; };
    return is(which, has("gather")    ? kGathered
                     : has("combine") ? kCombined
                     : has("routing") ? kSort
                                      : kGrouped);
  }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const Case& which = problem.which();
    const std::int64_t experts = which["experts"], rows = rows_of(which);
    const std::vector<std::int64_t> sizes = draw_sizes(kind_of(which), experts, rows, random);
    const std::vector<int> start = starts(sizes), choice = draw_choices(sizes, random);
    const auto store = [&](const char* name, const std::vector<int>& values) {
      const auto stored = problem.input<int>(name, {static_cast<std::int64_t>(values.size())});
      std::copy(values.begin(), values.end(), stored.begin());
    };
    if (is(which, kSort)) {
      problem.output<int>("start", {experts + 1});
      problem.output<int>("pair", {rows});
      store("choice", choice);
      return;
    }
    const std::int64_t n = which["n"], k = which["k"];
    const bool combined = is(which, kCombined), gathered = is(which, kGathered);
    problem.output<Bf16>(combined ? "out" : "y", {combined ? which["tokens"] : rows, n});
    fill(problem.input<Bf16>(combined ? "h" : "x", {gathered ? which["tokens"] : rows, k}), random);
    fill(problem.input<Bf16>("w", {experts, n, k}), random);
    store("start", start);
    if (!is(which, kGrouped)) store("pair", sorted_pairs(choice, start));
    if (combined) random.uniform(problem.input<float>("weight", {rows}), 0.25f, 1.0f);
  }

  void reference(ladder::Problem& problem) const override {
    const Case& which = problem.which();
    if (is(which, kSort)) return sort(problem);
    const std::int64_t rows = rows_of(which), n = which["n"], k = which["k"];
    const bool combined = is(which, kCombined);
    const auto x = problem.read<Bf16>(combined ? "h" : "x"), w = problem.read<Bf16>("w");
    const auto start = problem.read<int>("start");
    const auto pair = is(which, kGrouped) ? std::span<const int>() : problem.read<int>("pair");
    const auto token = [&](std::int64_t row) { return pair[row] / which["top_k"]; };
    std::vector<double> parts;
    if (combined) parts.resize(rows * n);
    const std::span<double> y =
        combined ? std::span<double>(parts) : problem.expect("y", tolerance_of_sums(k));
    for (std::int64_t e = 0; e < which["experts"]; ++e) {
      const std::int64_t first = start[e], height = start[e + 1] - first;
      if (height == 0) continue;
      std::vector<float> factor(height * k);
      for (std::int64_t row = 0; row < height; ++row) {
        const std::int64_t from = is(which, kGathered) ? token(first + row) : first + row;
        for (std::int64_t l = 0; l < k; ++l) factor[row * k + l] = __bfloat162float(x[from * k + l]);
      }
      ladder::add_product(y.subspan(first * n, height * n), factor,
                          transposed(w.subspan(e * n * k, n * k), n, k), height, n, k);
    }
    if (combined) combine(problem, parts);
  }

  /// The rows of all experts, each of which has some at the timed sizes: weights are read once.
  ladder::Work work(const Case& which) const override {
    const auto rows = static_cast<double>(rows_of(which));
    const auto experts = static_cast<double>(which["experts"]);
    if (is(which, kSort))
      return {.bytes_read = rows * sizeof(int), .bytes_written = (rows + experts + 1) * sizeof(int)};
    const auto n = static_cast<double>(which["n"]), k = static_cast<double>(which["k"]);
    const double read = is(which, kGathered) ? static_cast<double>(which["tokens"]) : rows;
    const double written = is(which, kCombined) ? static_cast<double>(which["tokens"]) : rows;
    return {.bytes_read = (read + experts * n) * k * sizeof(Bf16),
            .bytes_written = written * n * sizeof(Bf16),
            .flops = 2 * rows * n * k,
            .unit = ladder::Unit::warpgroup};
  }

  cudaError_t prepare(const Case& which, const ladder::Arguments&) override {
    parts_ = nullptr;
    const std::int64_t elements = is(which, kCombined) ? rows_of(which) * which["n"] : 0;
    return elements == 0 ? cudaSuccess : ladder::allocate_scratch(&parts_, "parts", elements);
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    const int experts = get(which, "experts");
    if (is(which, kSort)) {
      if (&sort_by_expert == nullptr) throw ladder::Objection("this rung lacks sort_by_expert(int*, ...)");
      return sort_by_expert(arguments.get<int>("start"), arguments.get<int>("pair"),
                            arguments.get<int>("choice"), experts, get(which, "pairs"));
    }
    const Bf16* const w = arguments.get<Bf16>("w");
    const int* const start = arguments.get<int>("start");
    const int n = get(which, "n"), k = get(which, "k");
    if (is(which, kGathered)) {
      if (&gathered_matmul == nullptr)
        throw ladder::Objection("this rung lacks gathered_matmul(__nv_bfloat16*, ...)");
      return gathered_matmul(arguments.get<Bf16>("y"), arguments.get<Bf16>("x"), w, start,
                             arguments.get<int>("pair"), experts, get(which, "tokens"), get(which, "top_k"),
                             n, k);
    }
    if (is(which, kCombined)) {
      if (&combined_matmul == nullptr)
        throw ladder::Objection("this rung lacks combined_matmul(__nv_bfloat16*, ...)");
      return combined_matmul(arguments.get<Bf16>("out"), parts_, arguments.get<Bf16>("h"), w, start,
                             arguments.get<int>("pair"), arguments.get<float>("weight"), experts,
                             get(which, "tokens"), get(which, "top_k"), n, k);
    }
    if (&grouped_matmul == nullptr)
      throw ladder::Objection("this rung lacks grouped_matmul(__nv_bfloat16*, ...)");
    return grouped_matmul(arguments.get<Bf16>("y"), arguments.get<Bf16>("x"), w, start, experts,
                          get(which, "rows"), n, k);
  }

  cudaError_t finish(const Case&, const ladder::Arguments&) override { return cudaFree(parts_); }

 private:
  static void sort(ladder::Problem& problem) {
    const auto choice = problem.read<int>("choice");
    std::vector<int> start(problem.which()["experts"] + 1);
    for (const int expert : choice) ++start[expert + 1];
    std::partial_sum(start.begin(), start.end(), start.begin());
    const std::vector<int> pair = sorted_pairs(choice, start);
    const auto expected_start = problem.expect("start", {});  // integers: nothing is rounded
    std::copy(start.begin(), start.end(), expected_start.begin());
    const auto expected_pair = problem.expect("pair", {});
    std::copy(pair.begin(), pair.end(), expected_pair.begin());
  }

  static void combine(ladder::Problem& problem, std::span<const double> parts) {
    const Case& which = problem.which();
    const std::int64_t n = which["n"], top_k = which["top_k"];
    const auto pair = problem.read<int>("pair");
    const auto weight = problem.read<float>("weight");
    double most = 0;
    for (const double part : parts) most = std::max(most, std::fabs(part));
    // Rounding a part to bf16 takes up to 2^-8 of it, and rounding the sum another 2^-8 of that.
    const double of_sums = tolerance_of_sums(which["k"]).absolute;
    const auto out = problem.expect(
        "out", {.absolute = static_cast<double>(top_k) * (of_sums + most * 0x1p-8), .relative = 0x1p-8});
    for (std::size_t row = 0; row < pair.size(); ++row)
      for (std::int64_t col = 0; col < n; ++col)
        out[pair[row] / top_k * n + col] +=
            double{weight[pair[row]]} * parts[static_cast<std::int64_t>(row) * n + col];
  }

  Bf16* parts_ = nullptr;
};

}  // namespace

LADDER_LESSON(GroupedMatmul)
