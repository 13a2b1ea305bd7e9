// Reference, cases and work of the lesson; the rungs are the .cu files beside this one.
#include "merge_sort.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>

#include "grader/lesson/lesson.h"
#include "grader/lesson/offset.h"
#include "grader/lesson/scratch.h"
#include "grader/lesson/special.h"

namespace {

using ladder::Case;

/// Variants that sort values along begin with this word.
constexpr std::string_view kPairs = "pairs";

bool has_values(const Case& which) { return which.variant.starts_with(kPairs); }

// No giant case: where one kernel keeps the places at which others begin to merge, a sample of its blocks
// leaves most of them undefined, and what is read from there is nobody's mistake.
class MergeSort : public ladder::Lesson {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    std::vector<Case> cases;
    const bool gpu = device == ladder::DeviceKind::gpu;
    for (const char* variant : {"random", "pairs, few keys"})
      for (const std::int64_t n :
           {0, 1, 2, 3, 5, 31, 32, 33, 127, 128, 129, 1023, 1024, 1025, 2049, 17'409, 70'001})
        cases.push_back({{{"n", n}}, variant, Case::Use::check});
    for (const char* variant : {"sorted", "reversed", "all equal", "few keys", "special values",
                                "pairs, reversed", "pairs, special values"})
      for (const std::int64_t n : {33, 1025, 9'999}) cases.push_back({{{"n", n}}, variant, Case::Use::check});
    ladder::add_with_offsets(cases, {{{"n", 4096}}, "random", Case::Use::check}, {"keys_out", "keys"});
    ladder::add_with_offsets(cases, {{{"n", 4096}}, "pairs, few keys", Case::Use::check},
                             {"keys_out", "values_out", "keys", "values"});
    if (gpu) {
      cases.push_back({{{"n", 999'983}}, "random", Case::Use::check});
      cases.push_back({{{"n", 999'983}}, "pairs, few keys", Case::Use::check});
      cases.push_back({{{"n", 1'048'576}}, "reversed", Case::Use::check});
    }
    for (const char* variant : {"random", "pairs, random"})
      cases.push_back({{{"n", gpu ? 25'600'000 : 1'000'000}}, variant, Case::Use::time});
    return cases;
  }

  /// All rungs sort keys; only those named after pairs, and the library's, sort pairs.
  bool applies(const Case& which, std::string_view rung) const override {
    return has_values(which) == (rung.find(kPairs) != std::string_view::npos);
  }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const std::int64_t n = problem.which()["n"];
    const bool pairs = has_values(problem.which());
    const auto keys = problem.input<float>("keys", {n});
    fill(keys, problem.which().variant, random);
    if (pairs) {  // where a pair came from: two of equal keys in the wrong order show
      const auto values = problem.input<int>("values", {n});
      std::iota(values.begin(), values.end(), 0);
    }
    problem.output<float>("keys_out", {n});
    if (pairs) problem.output<int>("values_out", {n});
  }

  void reference(ladder::Problem& problem) const override {
    const auto keys = problem.read<float>("keys");
    const auto sorted =
        problem.expect("keys_out", ladder::Tolerance{.same_bits = has_values(problem.which())});
    if (!has_values(problem.which())) {
      std::vector<float> copy(keys.begin(), keys.end());
      std::sort(copy.begin(), copy.end());
      std::copy(copy.begin(), copy.end(), sorted.begin());
      return;
    }
    std::vector<std::pair<float, int>> pairs(keys.size());
    for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] = {keys[i], static_cast<int>(i)};
    std::stable_sort(pairs.begin(), pairs.end(), [](auto& a, auto& b) { return a.first < b.first; });
    const auto values = problem.expect("values_out", {});
    for (std::size_t i = 0; i < pairs.size(); ++i) sorted[i] = pairs[i].first, values[i] = pairs[i].second;
  }

  ladder::Work work(const Case& which) const override {
    const double bytes = static_cast<double>(which["n"]) * (has_values(which) ? 2 : 1) * sizeof(float);
    return {.bytes_read = bytes, .bytes_written = bytes, .flops = 0};
  }

  cudaError_t prepare(const Case& which, const ladder::Arguments&) override {
    const auto bytes = static_cast<std::int64_t>(scratch_bytes(static_cast<int>(which["n"])));
    return ladder::allocate_scratch(&scratch_, "scratch", bytes);
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    const bool pairs = has_values(which);
    return merge_sort(arguments.get<float>("keys_out"), pairs ? arguments.get<int>("values_out") : nullptr,
                      arguments.get<float>("keys"), pairs ? arguments.get<int>("values") : nullptr,
                      static_cast<int>(which["n"]), scratch_);
  }

  cudaError_t finish(const Case&, const ladder::Arguments&) override { return cudaFree(scratch_); }

 private:
  static void fill(std::span<float> keys, const std::string& variant, ladder::Random& random) {
    random.uniform(keys, -1000.0f, 1000.0f);
    if (variant == "all equal") std::fill(keys.begin(), keys.end(), 7.5f);
    if (variant.ends_with("few keys"))  // -2, -1, 0, 1, 2
      for (float& key : keys) key = static_cast<float>(static_cast<int>(key / 400));
    if (variant.ends_with("special values")) ladder::scatter_special(keys, random, false);
    if (variant == "sorted" || variant.ends_with("reversed")) std::sort(keys.begin(), keys.end());
    if (variant.ends_with("reversed")) std::reverse(keys.begin(), keys.end());
    if (variant == "random" && !keys.empty()) {  // nothing may take part that is no key, however large
      keys[random.next() % keys.size()] = std::numeric_limits<float>::infinity();
      keys[random.next() % keys.size()] = -std::numeric_limits<float>::infinity();
    }
  }

  std::byte* scratch_ = nullptr;
};

}  // namespace

LADDER_LESSON(MergeSort)
