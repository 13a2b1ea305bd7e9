// Reference, cases and work of the lesson; the rungs are the .cu files beside this one.
#include "reduction.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "grader/lesson/giant.h"
#include "grader/lesson/lesson.h"
#include "grader/lesson/offset.h"
#include "grader/lesson/scratch.h"

// A rung defines one of the three; the addresses of the others are null.
cudaError_t reduce(float*, const float*, std::int64_t, Operation, float*) __attribute__((weak));
cudaError_t mean(float*, const float*, std::int64_t, double*) __attribute__((weak));
cudaError_t exclusive_or(unsigned*, const unsigned*, std::int64_t, unsigned*) __attribute__((weak));

namespace {

using ladder::Case;

// Sums are taken of multiples of 2^-10, so small that no partial sum, in whatever order, needs more than
// the 24 bits of a float: float addition is then exact, every correct rung gives the very same sum, and a
// single lost element shows among 268 million. Random signs keep a partial sum of n of them near
// sqrt(n) * kLargest / sqrt(3) units; 8 times that is out of reach.
constexpr double kUnit = 0x1p-10;
constexpr double kExactUnits = 0x1p24;

std::int32_t largest_units(std::int64_t n) {
  const double bound =
      kExactUnits * std::sqrt(3.0) / (8 * std::sqrt(static_cast<double>(std::max<std::int64_t>(n, 1))));
  return static_cast<std::int32_t>(std::min(bound, 4095.0));  // 12 bits: one more than half precision has
}

bool is_mean(const Case& which) { return which.variant.starts_with("mean"); }

class Reduction : public ladder::Lesson, public ladder::Giant {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    std::vector<Case> cases;
    for (const char* variant : {"sum", "max"}) {
      for (const std::int64_t n :
           {0, 1, 2, 3, 4, 31, 32, 33, 127, 128, 129, 513, 1023, 1024, 1025, 20'011, 65'537})
        cases.push_back({{{"n", n}}, variant, Case::Use::check});
      // Arrays that start 4, 8 or 12 bytes behind a multiple of 16, some of them ending before the next one.
      for (const auto& [n, elements] : {std::pair{1, 3}, {2, 1}, {1025, 2}, {20'011, 1}, {70'001, 3}})
        cases.push_back(ladder::offset_by({{{"n", n}}, variant, Case::Use::check}, "in", elements));
      ladder::add_with_offsets(cases, {{{"n", 4096}}, variant, Case::Use::check}, {"out", "scratch"});
      if (device == ladder::DeviceKind::gpu) cases.push_back({{{"n", 999'983}}, variant, Case::Use::check});
    }
    for (const char* variant : {"max, either sign", "max, hugely negative"})
      for (const std::int64_t n : {1, 33, 1025, 20'011})
        cases.push_back({{{"n", n}}, variant, Case::Use::check});
    for (const std::int64_t n : {2, 513}) cases.push_back({{{"n", n}}, "mean, huge", Case::Use::check});
    for (const std::int64_t n : {1, 2, 3, 31, 33, 513, 1025, 6151, 65'521, 300'007})
      cases.push_back({{{"n", n}}, "mean", Case::Use::check});
    for (const std::int64_t n : {0, 1, 2, 31, 33, 513, 1025, 6151, 65'521, 300'007})
      cases.push_back({{{"n", n}}, "xor", Case::Use::check});
    for (const char* variant : {"mean", "xor"})
      ladder::add_with_offsets(cases, {{{"n", 4096}}, variant, Case::Use::check}, {"out", "in", "scratch"});
    if (device == ladder::DeviceKind::gpu)
      for (const char* variant : {"mean", "xor"})
        cases.push_back({{{"n", 3'999'971}}, variant, Case::Use::check});
    // The exercises are not timed: they are the same climb again.
    const std::int64_t large = device == ladder::DeviceKind::gpu ? 268'435'456 : 4'194'304;
    cases.push_back({{{"n", large}}, "sum", Case::Use::time});
    return cases;
  }

  bool valid(const Case& which) const override { return (!is_mean(which) || which["n"] > 0); }

  bool applies(const Case& which, std::string_view rung) const override {
    const auto has = [&](const char* word) { return rung.find(word) != std::string_view::npos; };
    if (has("mean") || has("xor")) return has("mean") ? is_mean(which) : which.variant == "xor";
    return !is_mean(which) && which.variant != "xor";
  }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const std::int64_t n = problem.which()["n"];
    if (problem.which().variant == "xor") {
      random.uniform(problem.input<std::uint32_t>("in", {n}), 0u, 0xffffffffu);
      problem.output<std::uint32_t>("out", {1});
      return;
    }
    const auto in = problem.input<float>("in", {n});
    const std::string& variant = problem.which().variant;
    if (variant == "mean")
      fill_for_mean(in, random);
    else if (variant == "mean, huge")
      random.uniform(in, 3.0e38f, 3.4e38f);  // the sum is no float
    else if (variant == "sum")
      fill_for_sum(in, random);
    else if (variant == "max, either sign")
      fill_for_max(in, -1000, 1000, 1001, random);
    else if (variant == "max, hugely negative")
      fill_for_max(in, -3.4e38f, -3.0e38f, -2.9e38f, random);
    else  // all below 0, so that a start value of 0 shows
      fill_for_max(in, -1000, -1, -0.7071f, random);
    problem.output<float>("out", {1});
  }

  void reference(ladder::Problem& problem) const override {
    if (problem.which().variant == "xor") {
      std::uint32_t all = 0;
      for (const std::uint32_t value : problem.read<std::uint32_t>("in")) all ^= value;
      problem.expect("out", {})[0] = all;
      return;
    }
    const auto in = problem.read<float>("in");
    if (is_mean(problem.which())) {
      double sum = 0;
      for (const float value : in) sum += value;
      // The quotient is rounded to a float once, by half a unit; the double sum adds nothing that shows.
      problem.expect("out", {.absolute = 0, .relative = 0x1p-23})[0] = sum / static_cast<double>(in.size());
      return;
    }
    if (problem.which().variant == "sum") {
      double sum = 0;
      for (const float value : in) sum += value;
      problem.expect("out", {.absolute = kUnit / 2})[0] = sum;  // exact, see above; half a unit is no element
    } else {
      double largest = -std::numeric_limits<double>::infinity();
      for (const float value : in) largest = std::max<double>(largest, value);
      problem.expect("out", {})[0] = largest;  // one of the elements: nothing is rounded
    }
  }

  /// More vectors of four than an int can count; and elements that 32 bits cannot count, few enough for a
  /// grid whose threads loop.
  std::vector<Case> giant_cases() const override {
    return {{{{"n", 9'000'000'007}}, "sum", Case::Use::check},
            {{{"n", 4'400'000'021}}, "mean", Case::Use::check},
            {{{"n", 4'400'000'021}}, "xor", Case::Use::check}};
  }

  void outline(ladder::Problem& problem) const override {
    const std::int64_t n = problem.which()["n"];
    if (problem.which().variant == "xor") {
      problem.input<std::uint32_t>("in", {n});
      problem.output<std::uint32_t>("out", {1});
      return;
    }
    problem.input<float>("in", {n});
    problem.output<float>("out", {1});
  }

  bool compares() const override { return false; }
  bool reads_all() const override { return true; }

  ladder::Work work(const Case& which) const override {
    const double n = static_cast<double>(which["n"]);
    return {.bytes_read = n * sizeof(float), .bytes_written = sizeof(float), .flops = n};
  }

  cudaError_t prepare(const Case& which, const ladder::Arguments&) override {
    before_scratch_ = ladder::offset_of(which, "scratch");
    const std::int64_t elements = scratch_elements(which["n"]);
    return is_mean(which) ? allocate<double>(elements / 2) : allocate<float>(elements);
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    const std::int64_t n = which["n"];
    if (is_mean(which)) {
      if (&mean == nullptr) throw ladder::Objection("this rung lacks mean(float*, const float*, ...)");
      return mean(arguments.get<float>("out"), arguments.get<float>("in"), n, scratch<double>());
    }
    if (which.variant == "xor") {
      if (&exclusive_or == nullptr)
        throw ladder::Objection("this rung lacks exclusive_or(unsigned*, const unsigned*, ...)");
      return exclusive_or(arguments.get<unsigned>("out"), arguments.get<unsigned>("in"), n,
                          scratch<unsigned>());
    }
    if (&reduce == nullptr) throw ladder::Objection("this rung lacks reduce(float*, const float*, ...)");
    const Operation operation = which.variant == "sum" ? Operation::sum : Operation::max;
    return reduce(arguments.get<float>("out"), arguments.get<float>("in"), n, operation, scratch<float>());
  }

  cudaError_t finish(const Case&, const ladder::Arguments&) override { return cudaFree(scratch_); }

 private:
  /// Multiples of kUnit with random signs, none of them 0.
  static void fill_for_sum(std::span<float> in, ladder::Random& random) {
    const std::uint64_t largest =
        static_cast<std::uint64_t>(largest_units(static_cast<std::int64_t>(in.size())));
    for (float& value : in) {
      const std::uint64_t bits = random.next();
      const float units = static_cast<float>(1 + (bits >> 8) % largest);
      value = static_cast<float>(kUnit) * (bits & 1 ? units : -units);
    }
  }

  /// Large numbers of either sign that cancel, half the array apart, and leave a mean of 1 to 2: sums in
  /// float lose it among them, sums in double keep it.
  static void fill_for_mean(std::span<float> in, ladder::Random& random) {
    random.uniform(in, 1.0f, 2.0f);
    const std::size_t half = in.size() / 2;
    for (std::size_t i = 0; i < half; ++i) {
      const std::uint64_t bits = random.next();
      const float large = static_cast<float>(bits >> 8 & 0xfffff) * (bits & 1 ? 1.0f : -1.0f);
      in[i] += large;
      in[i + half] -= large;
    }
  }

  /// The largest is often at an end, so that a lost end shows.
  static void fill_for_max(std::span<float> in, float low, float high, float largest,
                           ladder::Random& random) {
    random.uniform(in, low, high);
    if (in.empty()) return;
    const std::size_t places[] = {in.size() - 1, in.size() - 1, 0, random.next() % in.size()};
    in[places[random.next() % 4]] = largest;
  }

  template <class T>
  cudaError_t allocate(std::int64_t elements) {
    T* start = nullptr;
    const cudaError_t error = ladder::allocate_scratch(&start, "scratch", elements, before_scratch_);
    scratch_ = start;
    return error;
  }
  template <class T>
  T* scratch() const {
    return static_cast<T*>(scratch_) + before_scratch_;
  }

  void* scratch_ = nullptr;
  std::int64_t before_scratch_ = 0;  ///< elements that are not the rung's
};

}  // namespace

LADDER_LESSON(Reduction)
