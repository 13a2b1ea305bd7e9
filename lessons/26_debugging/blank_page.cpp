// Reference, cases and work of the blank page.
#include "blank_page.h"

#include <cmath>
#include <limits>

#include "grader/lesson/lesson.h"
#include "grader/lesson/offset.h"

namespace {

using ladder::Case;

constexpr float kTolerance = 0.25f;
constexpr const char* kSame = "none differs";
constexpr const char* kNumbers = "numbers differ";
constexpr const char* kNans = "NaN where a number is wanted";
constexpr const char* kSpecial = "NaNs and infinities that are alike";

Case of(const char* what, std::int64_t n, Case::Use use = Case::Use::check) {
  return {{{"n", n}}, what, use};
}

bool alike(float a, float b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b || std::abs(a - b) <= kTolerance;
}

class FirstDifference : public ladder::Lesson {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    std::vector<Case> cases;
    for (const std::int64_t n : {0, 1, 31, 33, 257, 1023, 4099})
      for (const char* what : {kSame, kNumbers, kNans, kSpecial}) cases.push_back(of(what, n));
    ladder::add_with_offsets(cases, of(kNumbers, 1024), {"a", "b"});
    cases.push_back(of(kNumbers, device == ladder::DeviceKind::gpu ? 1 << 26 : 1 << 20, Case::Use::time));
    return cases;
  }

  /// Multiples of 1/8, so that distances are exact. Where numbers differ, all from some place on do.
  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const std::string& what = problem.which().variant;
    const std::size_t n = static_cast<std::size_t>(problem.which()["n"]);
    const auto a = problem.input<float>("a", {problem.which()["n"]});
    const auto b = problem.input<float>("b", {problem.which()["n"]});
    random.uniform(a, -64.0f, 64.0f);
    const float nan = std::numeric_limits<float>::quiet_NaN(),
                infinity = std::numeric_limits<float>::infinity();
    const std::size_t first = n < 2 ? 0 : n / 4 + random.next() % (n / 4 + 1);
    for (std::size_t i = 0; i < n; ++i) {
      a[i] = std::round(a[i] * 8) / 8;
      b[i] = a[i] + (i % 2 == 0 ? kTolerance : -kTolerance);  // as far as is allowed
      if (what == kSpecial && i % 5 == 1) a[i] = b[i] = nan;
      if (what == kSpecial && i % 7 == 2) a[i] = b[i] = i % 2 == 0 ? infinity : -infinity;
      if (i < first) continue;
      if (what == kNumbers) b[i] = a[i] + 0.375f;
      if (what == kNans) (i % 2 == 0 ? a[i] : b[i]) = nan;
      if (what == kSpecial && i == n - 1) {
        a[i] = infinity;
        b[i] = -infinity;
      }
    }
    problem.scalar("tolerance", kTolerance);
    problem.output<int>("at", {1});
  }

  void reference(ladder::Problem& problem) const override {
    const auto a = problem.read<float>("a"), b = problem.read<float>("b");
    std::size_t at = 0;
    while (at < a.size() && alike(a[at], b[at])) ++at;
    problem.expect("at", {})[0] = static_cast<double>(at);
  }

  ladder::Work work(const Case& which) const override {
    return {.bytes_read = 2.0 * sizeof(float) * static_cast<double>(which["n"]),
            .bytes_written = sizeof(int)};
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    return first_difference(arguments.get<int>("at"), arguments.get<float>("a"), arguments.get<float>("b"),
                            static_cast<int>(which["n"]), kTolerance);
  }
};

}  // namespace

LADDER_LESSON(FirstDifference)
