// Reference, cases and work of the lesson; the rungs are the .cu files beside this one.
#include "histogram.h"

#include <array>

#include "grader/lesson/giant.h"
#include "grader/lesson/lesson.h"
#include "grader/lesson/offset.h"

namespace {

using ladder::Case;

class Histogram : public ladder::Lesson, public ladder::Giant {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    std::vector<Case> cases;
    // Around the edges of a 16-byte load, a warp, a block and the bytes that a block loads at once.
    // The last: more than any GPU has threads at a time.
    for (const std::int64_t n :
         {0, 1, 2, 3, 4, 15, 16, 17, 31, 32, 33, 127, 129, 1023, 1024, 1025, 70'001, 400'009})
      cases.push_back({{{"n", n}}, "uniform", Case::Use::check});
    for (const std::int64_t n : {33, 1025, 50'021}) {
      cases.push_back({{{"n", n}}, "skewed", Case::Use::check});
      cases.push_back({{{"n", n}}, "constant", Case::Use::check});
      cases.push_back({{{"n", n}}, "sorted", Case::Use::check});
    }
    // Data that start at any address, some of them ending before the next multiple of 16.
    for (const auto& [n, bytes] : {std::pair{1, 15}, {5, 9}, {33, 1}, {1025, 3}, {50'021, 8}, {70'001, 13}})
      cases.push_back(ladder::offset_by({{{"n", n}}, "uniform", Case::Use::check}, "data", bytes));
    ladder::add_with_offsets(cases, {{{"n", 1024}}, "uniform", Case::Use::check}, {"bins"});
    if (device == ladder::DeviceKind::gpu) {
      cases.push_back({{{"n", 999'983}}, "uniform", Case::Use::check});
      cases.push_back({{{"n", 33'554'467}}, "constant", Case::Use::check});
    }
    const std::int64_t large = device == ladder::DeviceKind::gpu ? 1'073'741'824 : 4'194'304;
    for (const char* variant : {"uniform", "skewed"})
      cases.push_back({{{"n", large}}, variant, Case::Use::time});
    return cases;
  }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const std::int64_t n = problem.which()["n"];
    const std::string& variant = problem.which().variant;
    const auto data = problem.input<unsigned char>("data", {n});
    const auto favourite = static_cast<unsigned char>(random.next());
    random.uniform(data, 0, 255);
    if (variant == "skewed")  // nine bytes in ten have the same value
      for (unsigned char& value : data) value = value < 230 ? favourite : value;
    else if (variant == "constant")  // of a byte that, taken for signed, is below 0
      for (unsigned char& value : data) value = favourite | 128;
    else if (variant == "sorted")
      for (std::int64_t i = 0; i < n; ++i) data[i] = static_cast<unsigned char>(i * kBins / n);
    problem.output<unsigned>("bins", {kBins});
  }

  void reference(ladder::Problem& problem) const override {
    // Two tables, so that equal neighbours do not have to wait for each other's addition.
    std::array<std::array<std::uint64_t, kBins>, 2> counts{};
    const auto data = problem.read<unsigned char>("data");
    for (std::size_t i = 0; i < data.size(); ++i) ++counts[i % 2][data[i]];
    const auto bins = problem.expect("bins", {});  // counts: nothing may differ
    for (int v = 0; v < kBins; ++v) bins[v] = static_cast<double>(counts[0][v] + counts[1][v]);
  }

  std::vector<Case> giant_cases() const override {
    return {{{{"n", 4'294'967'003}}, "uniform", Case::Use::check}};
  }

  void outline(ladder::Problem& problem) const override {
    problem.input<unsigned char>("data", {problem.which()["n"]});
    problem.output<unsigned>("bins", {kBins});
  }

  bool compares() const override { return false; }

  ladder::Work work(const Case& which) const override {
    const double n = static_cast<double>(which["n"]);
    return {.bytes_read = n, .bytes_written = kBins * sizeof(unsigned), .flops = n};
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    return histogram(arguments.get<unsigned>("bins"), arguments.get<unsigned char>("data"), which["n"]);
  }
};

}  // namespace

LADDER_LESSON(Histogram)
