// Reference, cases and work of the blank page: the lower bounds of many keys.
#include "blank_page.h"

#include <algorithm>
#include <limits>
#include <string>

#include "grader/lesson/lesson.h"
#include "grader/lesson/offset.h"

namespace {

using ladder::Case;

constexpr const char* kRandom = "random";
constexpr const char* kFew = "few different values";
constexpr const char* kApart = "all data between two keys";
constexpr const char* kInfinite = "infinities";

Case of_size(std::int64_t m, std::int64_t n, const char* variant, Case::Use use = Case::Use::check) {
  return {{{"m", m}, {"n", n}}, variant, use};
}

class LowerBounds : public ladder::Lesson {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    std::vector<Case> cases;
    for (const auto& [m, n] : {std::pair{0, 5},
                               {1, 0},
                               {1, 1},
                               {33, 31},
                               {31, 33},
                               {127, 1},
                               {1, 1023},
                               {1023, 1025},
                               {2048, 2049},
                               {4096, 4096},
                               {33, 20'011},
                               {20'011, 33}})
      cases.push_back(of_size(m, n, kRandom));
    for (const char* variant : {kFew, kApart, kInfinite})
      for (const auto& [m, n] : {std::pair{33, 31}, {1025, 1023}, {5003, 7001}})
        cases.push_back(of_size(m, n, variant));
    ladder::add_with_offsets(cases, of_size(1021, 3079, kRandom), {"ranks", "keys", "data"});
    if (device == ladder::DeviceKind::gpu) cases.push_back(of_size(1'000'003, 3'000'017, kFew));
    const std::int64_t large = device == ladder::DeviceKind::gpu ? 67'108'864 : 131'072;
    cases.push_back(of_size(large, large, kRandom, Case::Use::time));
    return cases;
  }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const auto keys = problem.input<float>("keys", {problem.which()["m"]});
    const auto data = problem.input<float>("data", {problem.which()["n"]});
    problem.output<int>("ranks", {problem.which()["m"]});
    const std::string& variant = problem.which().variant;
    fill(keys, variant, random);
    fill(data, variant, random);
    if (variant == kApart)  // the data are in [-1, 1], and the keys are not
      for (float& key : keys) key += key < 0 ? -1 : 1;
    std::sort(keys.begin(), keys.end());
    std::sort(data.begin(), data.end());
  }

  void reference(ladder::Problem& problem) const override {
    const auto keys = problem.read<float>("keys"), data = problem.read<float>("data");
    const auto ranks = problem.expect("ranks", {});  // integers: nothing is rounded
    for (std::size_t i = 0; i < keys.size(); ++i)
      ranks[i] = static_cast<double>(std::lower_bound(data.begin(), data.end(), keys[i]) - data.begin());
  }

  ladder::Work work(const Case& which) const override {
    const double m = static_cast<double>(which["m"]), n = static_cast<double>(which["n"]);
    return {.bytes_read = (m + n) * sizeof(float), .bytes_written = m * sizeof(int), .flops = 0};
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    return lower_bounds(arguments.get<int>("ranks"), arguments.get<float>("keys"),
                        static_cast<int>(which["m"]), arguments.get<float>("data"),
                        static_cast<int>(which["n"]));
  }

 private:
  static void fill(std::span<float> values, const std::string& variant, ladder::Random& random) {
    random.uniform(values, -1, 1);
    if (variant == kFew)
      for (float& value : values) value = static_cast<float>(static_cast<int>(value * 4));
    if (variant == kInfinite)
      for (float& value : values)
        if (value < -0.5f || value > 0.5f) value = value < 0 ? -kInfinity : kInfinity;
  }

  static constexpr float kInfinity = std::numeric_limits<float>::infinity();
};

}  // namespace

LADDER_LESSON(LowerBounds)
