// Reference, cases and work of the lesson; the rungs are the .cu files beside this one.
#include "gelu.h"

#include <cmath>
#include <stdexcept>
#include <type_traits>

#include "grader/lesson/giant.h"
#include "grader/lesson/lesson.h"
#include "grader/lesson/parallel.h"

// A rung defines one of the two; the address of the other is null.
cudaError_t gelu(float* out, const float* in, std::int64_t n, Form form) __attribute__((weak));
cudaError_t gelu(__half* out, const __half* in, std::int64_t n, Form form) __attribute__((weak));

namespace {

using ladder::Case;

constexpr const char* kVariants[] = {"float, exact", "float, tanh", "half, exact", "half, tanh"};

bool in_half(std::string_view name) { return name.find("half") != std::string_view::npos; }
Form form_of(const Case& which) {
  return which.variant.find("tanh") != std::string::npos ? Form::tanh : Form::exact;
}

/// What keeps its precision where 1 + erf(...) would cancel: for x far below 0.
double truth(double x, Form form) {
  if (form == Form::exact) return 0.5 * x * std::erfc(-x * std::sqrt(0.5));
  const double inner = std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x);
  return x / (1 + std::exp(-2 * inner));
}

/// How far off a rung may be. In float: a few roundings of numbers up to 8, which is a hundredth of what
/// would tell the two forms apart, or of half precision's rounding. In half: the roundings of a formula that
/// is computed in half precision throughout, each of 2^-11.
ladder::Tolerance tolerance(bool half) {
  if (half) return {.absolute = 0x1p-9, .relative = 0x1p-9};
  return {.absolute = 0x1p-18, .relative = 0x1p-18};
}

class Gelu : public ladder::Lesson, public ladder::Giant {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    std::vector<Case> cases;
    // Around the edges of a 16-byte access, a warp, a block, and what a block of vectors takes.
    for (const char* variant : kVariants)
      for (const std::int64_t n : {0, 1, 2, 3, 7, 8, 9, 31, 33, 127, 129, 1023, 1025, 4097, 10'007})
        cases.push_back({{{"n", n}}, variant, Case::Use::check});
    if (device == ladder::DeviceKind::gpu)
      for (const char* variant : kVariants) cases.push_back({{{"n", 999'983}}, variant, Case::Use::check});
    const std::int64_t large = device == ladder::DeviceKind::gpu ? 134'217'728 : 8'388'608;
    for (const char* variant : {"float, tanh", "half, tanh"})
      cases.push_back({{{"n", large}}, variant, Case::Use::time});
    return cases;
  }

  bool applies(const Case& which, std::string_view rung) const override {
    return in_half(which.variant) == in_half(rung);
  }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    if (in_half(problem.which().variant))
      declare_as<__half>(problem, random);
    else
      declare_as<float>(problem, random);
  }

  void reference(ladder::Problem& problem) const override {
    if (in_half(problem.which().variant))
      reference_as<__half>(problem);
    else
      reference_as<float>(problem);
  }

  /// About as many elements as the contract allows: a stride that is added to an index in int leaves its
  /// range.
  std::vector<Case> giant_cases() const override {
    return {{{{"n", 2'147'483'003}}, "float, tanh", Case::Use::check},
            {{{"n", 2'147'483'003}}, "half, exact", Case::Use::check}};
  }

  void outline(ladder::Problem& problem) const override {
    const std::int64_t n = problem.which()["n"];
    if (in_half(problem.which().variant)) {
      problem.input<__half>("in", {n});
      problem.output<__half>("out", {n});
    } else {
      problem.input<float>("in", {n});
      problem.output<float>("out", {n});
    }
  }

  double element(const Case& which, std::string_view, std::int64_t i, const Input& in) const override {
    return truth(in("in", i), form_of(which));
  }

  ladder::Tolerance tolerance(const Case& which) const override {
    return ::tolerance(in_half(which.variant));
  }

  ladder::Work work(const Case& which) const override {
    const double n = static_cast<double>(which["n"]);
    const double bytes = n * (in_half(which.variant) ? sizeof(__half) : sizeof(float));
    return {.bytes_read = bytes, .bytes_written = bytes, .flops = 8 * n};
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    return in_half(which.variant) ? launch_as<__half>(which, arguments) : launch_as<float>(which, arguments);
  }

 private:
  template <class T>
  static void declare_as(ladder::Problem& problem, ladder::Random& random) {
    const std::int64_t n = problem.which()["n"];
    const auto in = problem.input<T>("in", {n});
    random.uniform(in, T(-8.0f), T(8.0f));
    problem.output<T>("out", {n});
    if (problem.which().use == Case::Use::time) return;
    // Both zeros, and numbers whose square, cube or exponential leaves the type's range.
    const float largest = std::is_same_v<T, float> ? 3e38f : 65504.0f;
    const float special[] = {0.0f, -0.0f, largest, -largest, 300.0f, -300.0f, 1e-7f, -6.5f};
    for (std::size_t i = random.next() % 16; i < in.size(); i += 16) in[i] = T(special[random.next() % 8]);
  }

  template <class T>
  static void reference_as(ladder::Problem& problem) {
    const auto in = problem.read<T>("in");
    const auto out = problem.expect("out", ::tolerance(std::is_same_v<T, __half>));
    const Form form = form_of(problem.which());
    ladder::parallel_for(static_cast<std::int64_t>(out.size()), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) out[i] = truth(static_cast<double>(float(in[i])), form);
    });
  }

  template <class T>
  static cudaError_t launch_as(const Case& which, const ladder::Arguments& arguments) {
    cudaError_t (*const rung)(T*, const T*, std::int64_t, Form) = gelu;
    if (rung == nullptr)
      throw ladder::Objection(std::is_same_v<T, float>
                                  ? "this rung lacks gelu(float*, const float*, std::int64_t, Form)"
                                  : "this rung lacks gelu(__half*, const __half*, std::int64_t, Form)");
    return rung(arguments.get<T>("out"), arguments.get<T>("in"), which["n"], form_of(which));
  }
};

}  // namespace

LADDER_LESSON(Gelu)
