// Reference, cases and work of the lesson; the rungs are the .cu files beside this one.
#include "debugging.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

#include "grader/lesson/lesson.h"

// A rung defines one of these; the addresses of the others are null.
cudaError_t differences(float*, const float*, int) __attribute__((weak));
cudaError_t neighbours(int*, const int*, int) __attribute__((weak));
cudaError_t minima(float*, const float*, int) __attribute__((weak));
cudaError_t sums(int*, const int*, int) __attribute__((weak));

namespace {

using ladder::Case;

constexpr const char* kDifferences = "differences";
constexpr const char* kNeighbours = "neighbours";
constexpr const char* kMinima = "minima";
constexpr const char* kSums = "sums";

Case of(const char* what, std::int64_t n, Case::Use use = Case::Use::check) {
  return {{{"n", n}}, what, use};
}

template <class Function>
void require_defined(Function* function, const char* name) {
  if (function == nullptr) throw ladder::Objection(std::string("this rung lacks ") + name);
}

class Debugging : public ladder::Lesson {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    std::vector<Case> cases;
    for (const char* what : {kDifferences, kNeighbours, kMinima, kSums}) {
      for (const std::int64_t n : {1, 2, 31, 33, 255, 256, 257, 1023, 1024, 4099})
        cases.push_back(of(what, n));
      if (what != kDifferences) cases.push_back(of(what, 0));
      cases.push_back(of(what, device == ladder::DeviceKind::gpu ? 1 << 26 : 1 << 20, Case::Use::time));
    }
    return cases;
  }

  bool valid(const Case& which) const override { return which.variant != kDifferences || which["n"] >= 1; }

  bool applies(const Case& which, std::string_view rung) const override {
    const auto has = [&](const char* word) { return rung.find(word) != std::string_view::npos; };
    return which.variant == (has("bounds")          ? kDifferences
                             : has("race")          ? kNeighbours
                             : has("uninitialised") ? kMinima
                                                    : kSums);
  }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const std::string& what = problem.which().variant;
    const std::int64_t n = problem.which()["n"];
    if (what == kDifferences || what == kMinima) {
      random.uniform(problem.input<float>("in", {n}), 1.0f, 2.0f);  // so that differences are exact
      problem.output<float>("out", {what == kMinima ? (n + kBlock - 1) / kBlock : n - 1});
    } else {
      random.uniform(problem.input<int>("in", {n}), 1, 1'000'000);
      problem.output<int>("out", {what == kSums ? (n + kBlock - 1) / kBlock : n});
    }
  }

  void reference(ladder::Problem& problem) const override {
    const std::string& what = problem.which().variant;
    const auto out = problem.expect("out", {});
    if (what == kDifferences) {
      const auto in = problem.read<float>("in");
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<double>(in[i + 1]) - in[i];
    } else if (what == kMinima) {
      const auto in = problem.read<float>("in");
      std::fill(out.begin(), out.end(), std::numeric_limits<double>::infinity());
      for (std::size_t i = 0; i < in.size(); ++i) out[i / kBlock] = std::min<double>(out[i / kBlock], in[i]);
    } else {
      const auto in = problem.read<int>("in");
      for (std::size_t i = 0; i < in.size(); ++i) {
        if (what == kSums) {
          out[i / kBlock] += in[i];
        } else {
          out[i] = static_cast<double>(in[i]) + (i > 0 ? in[i - 1] : 0) + (i + 1 < in.size() ? in[i + 1] : 0);
        }
      }
    }
  }

  ladder::Work work(const Case& which) const override {
    const double n = static_cast<double>(which["n"]);
    const bool of_blocks = which.variant == kMinima || which.variant == kSums;
    return {.bytes_read = 4 * n, .bytes_written = 4 * (of_blocks ? n / kBlock : n)};
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    const int n = static_cast<int>(which["n"]);
    const std::string& what = which.variant;
    if (what == kDifferences) {
      require_defined(&differences, "differences(float*, const float*, int)");
      return differences(arguments.get<float>("out"), arguments.get<float>("in"), n);
    }
    if (what == kNeighbours) {
      require_defined(&neighbours, "neighbours(int*, const int*, int)");
      return neighbours(arguments.get<int>("out"), arguments.get<int>("in"), n);
    }
    if (what == kMinima) {
      require_defined(&minima, "minima(float*, const float*, int)");
      return minima(arguments.get<float>("out"), arguments.get<float>("in"), n);
    }
    require_defined(&sums, "sums(int*, const int*, int)");
    return sums(arguments.get<int>("out"), arguments.get<int>("in"), n);
  }
};

}  // namespace

LADDER_LESSON(Debugging)
