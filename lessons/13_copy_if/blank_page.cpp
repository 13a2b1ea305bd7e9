// Reference, cases and work of the blank page: a stable partition.
#include "blank_page.h"

#include <string>

#include "grader/lesson/lesson.h"
#include "grader/lesson/offset.h"
#include "grader/lesson/scratch.h"

namespace {

using ladder::Case;

/// How many elements in a hundred go to the front.
int percent_of(const Case& which) {
  if (which.variant == "none to the front") return 0;
  if (which.variant == "1 % to the front") return 1;
  return which.variant == "all to the front" ? 100 : 50;
}

Case of_size(std::int64_t n, const char* variant, Case::Use use = Case::Use::check) {
  return {{{"n", n}}, variant, use};
}

class Partition : public ladder::Lesson {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    std::vector<Case> cases;
    for (const std::int64_t n : {0, 1, 2, 31, 32, 33, 511, 512, 513, 1023, 1025, 8193, 70'001})
      cases.push_back(of_size(n, kHalf));
    for (const char* variant : {"none to the front", "1 % to the front", "all to the front"})
      for (const std::int64_t n : {33, 1025, 20'011}) cases.push_back(of_size(n, variant));
    ladder::add_with_offsets(cases, of_size(4099, kHalf), {"out", "front", "in", "scratch"});
    if (device == ladder::DeviceKind::gpu) cases.push_back(of_size(4'194'319, kHalf));
    const std::int64_t large = device == ladder::DeviceKind::gpu ? 268'435'456 : 262'144;
    cases.push_back(of_size(large, kHalf, Case::Use::time));
    return cases;
  }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const std::int64_t n = problem.which()["n"];
    const auto in = problem.input<int>("in", {n});
    const int percent = percent_of(problem.which());
    random.uniform(in, 0, 99);
    // Twice the place, and 1 more for those that stay behind: all values differ, some are below 0.
    for (std::int64_t i = 0; i < n; ++i) {
      const auto value = static_cast<int>(2 * i + (in[i] < percent ? 0 : 1));
      in[i] = i % 3 == 0 ? -value : value;
    }
    problem.output<int>("out", {n});
    problem.output<int>("front", {1});
  }

  void reference(ladder::Problem& problem) const override {
    const auto in = problem.read<int>("in");
    const auto out = problem.expect("out", {});  // copies: nothing may differ
    std::size_t place = 0;
    for (const bool front : {true, false}) {
      for (const int value : in)
        if (to_front(value) == front) out[place++] = value;
      if (front) problem.expect("front", {})[0] = static_cast<double>(place);
    }
  }

  ladder::Work work(const Case& which) const override {
    const double bytes = static_cast<double>(which["n"]) * sizeof(int);
    return {.bytes_read = bytes, .bytes_written = bytes, .flops = 0};
  }

  cudaError_t prepare(const Case& which, const ladder::Arguments&) override {
    before_scratch_ = ladder::offset_of(which, "scratch");
    return ladder::allocate_scratch(&scratch_, "scratch", scratch_words(which["n"]), before_scratch_);
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    return partition(arguments.get<int>("out"), arguments.get<int>("front"), arguments.get<int>("in"),
                     which["n"], scratch_ + before_scratch_);
  }

  cudaError_t finish(const Case&, const ladder::Arguments&) override { return cudaFree(scratch_); }

 private:
  static constexpr const char* kHalf = "half to the front";

  unsigned long long* scratch_ = nullptr;
  std::int64_t before_scratch_ = 0;  ///< words that are not the rung's
};

}  // namespace

LADDER_LESSON(Partition)
