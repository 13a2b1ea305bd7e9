// Reference, cases and work of the blank page: a linear recurrence.
#include "blank_page.h"

#include <string>

#include "grader/lesson/lesson.h"
#include "grader/lesson/offset.h"
#include "grader/lesson/scratch.h"

namespace {

using ladder::Case;

constexpr const char* kAny = "any factors";
constexpr const char* kOnes = "factors 1";       // an ordinary prefix sum
constexpr const char* kResets = "factors 0, 1";  // starts anew where the factor is 0

Case of_size(std::int64_t n, const char* variant, Case::Use use = Case::Use::check) {
  return {{{"n", n}}, variant, use};
}

class Recurrence : public ladder::Lesson {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    std::vector<Case> cases;
    for (const std::int64_t n : {0, 1, 2, 31, 32, 33, 127, 1023, 1024, 1025, 4097, 8191, 40'962})
      cases.push_back(of_size(n, kAny));
    for (const char* variant : {kOnes, kResets})
      for (const std::int64_t n : {33, 1025, 20'011}) cases.push_back(of_size(n, variant));
    ladder::add_with_offsets(cases, of_size(4099, kAny), {"x", "a", "b", "scratch"});
    if (device == ladder::DeviceKind::gpu)
      for (const std::int64_t n : {1'048'577, 4'194'319}) cases.push_back(of_size(n, kAny));
    const std::int64_t large = device == ladder::DeviceKind::gpu ? 134'217'728 : 262'144;
    cases.push_back(of_size(large, kAny, Case::Use::time));
    return cases;
  }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const std::int64_t n = problem.which()["n"];
    const auto a = problem.input<unsigned>("a", {n});
    const auto b = problem.input<unsigned>("b", {n});
    problem.output<unsigned>("x", {n});
    random.uniform(b, 1, 0xffffffff);
    if (problem.which().variant == kOnes) {
      for (unsigned& factor : a) factor = 1;
    } else if (problem.which().variant == kResets) {
      random.uniform(a, 0, 99);
      for (unsigned& factor : a) factor = factor != 0;
    } else {
      // Odd: a product of even ones is soon 0, and would hide what went wrong before.
      random.uniform(a, 0, 0x7fffffff);
      for (unsigned& factor : a) factor = 2 * factor + 1;
    }
  }

  void reference(ladder::Problem& problem) const override {
    const auto a = problem.read<unsigned>("a"), b = problem.read<unsigned>("b");
    const auto out = problem.expect("x", {});  // integers: nothing is rounded
    unsigned x = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      x = a[i] * x + b[i];
      out[i] = x;
    }
  }

  ladder::Work work(const Case& which) const override {
    const double n = static_cast<double>(which["n"]);
    return {.bytes_read = 2 * n * sizeof(unsigned), .bytes_written = n * sizeof(unsigned), .flops = 2 * n};
  }

  cudaError_t prepare(const Case& which, const ladder::Arguments&) override {
    before_scratch_ = ladder::offset_of(which, "scratch");
    return ladder::allocate_scratch(&scratch_, "scratch", scratch_words(which["n"]), before_scratch_);
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    return recurrence(arguments.get<unsigned>("x"), arguments.get<unsigned>("a"),
                      arguments.get<unsigned>("b"), which["n"], scratch_ + before_scratch_);
  }

  cudaError_t finish(const Case&, const ladder::Arguments&) override { return cudaFree(scratch_); }

 private:
  unsigned long long* scratch_ = nullptr;
  std::int64_t before_scratch_ = 0;  ///< words that are not the rung's
};

}  // namespace

LADDER_LESSON(Recurrence)
