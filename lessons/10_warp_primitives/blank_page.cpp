// Reference, cases and work of the lesson's blank page.
#include "blank_page.h"

#include <algorithm>
#include <limits>

#include "grader/lesson/lesson.h"
#include "grader/lesson/offset.h"

namespace {

using ladder::Case;

class RankEqualKeys : public ladder::Lesson {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    std::vector<Case> cases;
    for (const char* variant : {"few values", "edge values"})
      for (const std::int64_t n : {0, 1, 2, 31, 32, 33, 63, 97, 1023, 1025, 20'011})
        cases.push_back({{{"n", n}}, variant, Case::Use::check});
    for (const char* variant : {"any value", "all equal"})
      for (const std::int64_t n : {1, 33, 1023}) cases.push_back({{{"n", n}}, variant, Case::Use::check});
    for (const char* array : {"keys", "equal", "before", "distinct"})
      cases.push_back(ladder::offset_by({{{"n", 4099}}, "few values", Case::Use::check}, array, 1));
    if (device == ladder::DeviceKind::gpu)
      cases.push_back({{{"n", 3'999'971}}, "few values", Case::Use::check});
    const std::int64_t large = device == ladder::DeviceKind::gpu ? 67'108'864 : 1'048'576;
    cases.push_back({{{"n", large}}, "few values", Case::Use::time});
    return cases;
  }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const std::int64_t n = problem.which()["n"];
    const std::string& variant = problem.which().variant;
    constexpr int kLowest = std::numeric_limits<int>::min(), kHighest = std::numeric_limits<int>::max();
    const auto keys = problem.input<int>("keys", {n});
    if (variant == "any value")
      random.uniform(keys, kLowest, kHighest);
    else
      random.uniform(keys, 0, variant == "all equal" ? 0 : 7);
    // Values that a lane without a key might be given.
    constexpr int kEdges[] = {kLowest, -1, 0, kHighest};
    if (variant == "edge values")
      for (int& key : keys) key = kEdges[key % 4];
    problem.output<int>("equal", {n});
    problem.output<int>("before", {n});
    problem.output<int>("distinct", {(n + kGroup - 1) / kGroup});
  }

  void reference(ladder::Problem& problem) const override {
    const auto keys = problem.read<int>("keys");
    const auto equal = problem.expect("equal", {}), before = problem.expect("before", {}),
               distinct = problem.expect("distinct", {});
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const std::size_t first = i / kGroup * kGroup, end = std::min(first + kGroup, keys.size());
      for (std::size_t other = first; other < end; ++other) {
        equal[i] += keys[other] == keys[i];
        before[i] += keys[other] == keys[i] && other < i;
      }
      distinct[i / kGroup] += before[i] == 0;
    }
  }

  ladder::Work work(const Case& which) const override {
    const double n = static_cast<double>(which["n"]);
    return {.bytes_read = n * sizeof(int), .bytes_written = n * sizeof(int) * (2 + 1.0 / kGroup), .flops = n};
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    const Ranks out = {arguments.get<int>("equal"), arguments.get<int>("before"),
                       arguments.get<int>("distinct")};
    return rank_equal_keys(out, arguments.get<int>("keys"), which["n"]);
  }
};

}  // namespace

LADDER_LESSON(RankEqualKeys)
