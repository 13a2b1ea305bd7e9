// Reference, cases and work of the blank page.
#include "blank_page.h"

#include <algorithm>

#include "grader/lesson/giant.h"
#include "grader/lesson/lesson.h"
#include "grader/lesson/offset.h"

namespace {

using ladder::Case;

constexpr float kLimit = 0.75f;  // for each coordinate: about three in five distances are below it

Case shape(std::int64_t batch, std::int64_t n, std::int64_t dims, Case::Use use = Case::Use::check) {
  return {{{"batch", batch}, {"n", n}, {"dims", dims}}, "", use};
}

float limit(const Case& which) { return kLimit * static_cast<float>(which["dims"]); }

class CutDistances : public ladder::Lesson, public ladder::Giant {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    std::vector<Case> cases = {shape(1, 1, 1),     shape(0, 3, 4),   shape(3, 0, 4),  shape(3, 5, 0),
                               shape(2, 3, 4),     shape(33, 7, 2),  shape(5, 31, 3), shape(2, 33, 17),
                               shape(3, 32, 32),   shape(1, 65, 33), shape(2, 97, 7), shape(1, 128, 1),
                               shape(1, 2, 1023),  shape(101, 4, 8), shape(7, 16, 5), shape(1, 300, 2),
                               shape(70'001, 1, 1)};
    ladder::add_with_offsets(cases, shape(3, 32, 16), {"out", "points"});
    if (device == ladder::DeviceKind::gpu) {
      cases.push_back(shape(100'003, 3, 5));
      cases.push_back(shape(2, 1021, 67));
    }
    cases.push_back(shape(device == ladder::DeviceKind::gpu ? 32'768 : 512, 32, 16, Case::Use::time));
    return cases;
  }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const std::int64_t batch = problem.which()["batch"], n = problem.which()["n"];
    random.uniform(problem.input<float>("points", {batch, n, problem.which()["dims"]}), -1.0f, 1.0f);
    problem.output<float>("out", {batch, n, n});
    problem.scalar("limit", limit(problem.which()));
  }

  void reference(ladder::Problem& problem) const override {
    const std::int64_t batch = problem.which()["batch"], n = problem.which()["n"];
    const std::int64_t dims = problem.which()["dims"];
    // A difference and its square round, and each of dims additions, all of the sum's own size or less.
    const auto out = problem.expect("out", {.relative = (static_cast<double>(dims) + 4) * 0x1p-24});
    const auto points = problem.read<float>("points");
    for (std::int64_t pair = 0; pair < batch * n * n; ++pair) {
      const std::int64_t first = pair / n, second = first / n * n + pair % n;
      double sum = 0;
      for (std::int64_t d = 0; d < dims; ++d) {
        const double difference = double{points[first * dims + d]} - points[second * dims + d];
        sum += difference * difference;
      }
      out[pair] = std::min<double>(limit(problem.which()), sum);
    }
  }

  std::vector<Case> giant_cases() const override { return {shape(2, 56'009, 2), shape(60'000'011, 9, 2)}; }

  void outline(ladder::Problem& problem) const override {
    const std::int64_t batch = problem.which()["batch"], n = problem.which()["n"];
    problem.input<float>("points", {batch, n, problem.which()["dims"]});
    problem.output<float>("out", {batch, n, n});
  }

  double element(const Case& which, std::string_view, std::int64_t pair, const Input& in) const override {
    const std::int64_t n = which["n"], dims = which["dims"];
    const std::int64_t first = pair / n, second = first / n * n + pair % n;
    double sum = 0;  // floats hold every square exactly, and the sum
    for (std::int64_t d = 0; d < dims; ++d) {
      const double difference = in("points", first * dims + d) - in("points", second * dims + d);
      sum += difference * difference;
    }
    return std::min<double>(limit(which), sum);
  }

  ladder::Work work(const Case& which) const override {
    const double points = static_cast<double>(which["batch"]) * static_cast<double>(which["n"]);
    const double n = static_cast<double>(which["n"]), dims = static_cast<double>(which["dims"]);
    return {.bytes_read = points * dims * sizeof(float),
            .bytes_written = points * n * sizeof(float),
            .flops = 3 * points * n * dims};
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    return cut_distances(arguments.get<float>("out"), arguments.get<float>("points"),
                         static_cast<int>(which["batch"]), static_cast<int>(which["n"]),
                         static_cast<int>(which["dims"]), limit(which));
  }
};

}  // namespace

LADDER_LESSON(CutDistances)
