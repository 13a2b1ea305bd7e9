// Reference, cases and work of the blank page.
#include "blank_page.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/matmul_reference.h"
#include "grader/lesson/giant.h"
#include "grader/lesson/lesson.h"
#include "grader/lesson/offset.h"

namespace {

using ladder::Case;

// What the two factors are: most cases add to c, some overwrite it, or only scale it.
constexpr const char* kOverwrite = "beta 0, c full of NaN";
constexpr const char* kScale = "alpha 0";

Case shape(std::int64_t m, std::int64_t n, std::int64_t k, const char* variant = "",
           Case::Use use = Case::Use::check) {
  return {{{"m", m}, {"n", n}, {"k", k}}, variant, use};
}

float alpha(const Case& which) { return which.variant == kScale ? 0.0f : 0.75f; }
float beta(const Case& which) { return which.variant == kOverwrite ? 0.0f : -1.5f; }

class Gemm : public ladder::Lesson, public ladder::Giant {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    std::vector<Case> cases = {
        shape(1, 1, 1),    shape(0, 4, 4),     shape(4, 0, 4),      shape(3, 2, 0),
        shape(2, 3, 4),    shape(31, 33, 7),   shape(33, 31, 32),   shape(64, 64, 64),
        shape(63, 65, 67), shape(65, 127, 17), shape(1, 129, 3),    shape(129, 1, 5),
        shape(1, 1, 1023), shape(127, 97, 31), shape(65'536, 1, 1), shape(1, 65'536, 1)};
    for (const char* variant : {kOverwrite, kScale})
      for (const Case& which : {shape(3, 2, 0), shape(5, 7, 9), shape(65, 63, 33)})
        cases.push_back(shape(which["m"], which["n"], which["k"], variant));
    ladder::add_with_offsets(cases, shape(36, 68, 32), {"c", "a", "b"});
    if (device == ladder::DeviceKind::gpu) {
      cases.push_back(shape(1023, 1025, 1021));
      cases.push_back(shape(100'003, 3, 5, kOverwrite));
      cases.push_back(shape(2048, 2048, 2048, "", Case::Use::time));
    } else {
      cases.push_back(shape(512, 768, 64, "", Case::Use::time));
    }
    return cases;
  }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const std::int64_t m = problem.which()["m"], n = problem.which()["n"], k = problem.which()["k"];
    fill(problem.input<float>("a", {m, k}), random);
    fill(problem.input<float>("b", {k, n}), random);
    const auto c = problem.inout<float>("c", {m, n});
    fill(c, random);
    if (beta(problem.which()) == 0) std::ranges::fill(c, std::numeric_limits<float>::quiet_NaN());
    problem.scalar("alpha", alpha(problem.which()));
    problem.scalar("beta", beta(problem.which()));
  }

  void reference(ladder::Problem& problem) const override {
    const std::int64_t m = problem.which()["m"], n = problem.which()["n"], k = problem.which()["k"];
    const double product = alpha(problem.which()), old = beta(problem.which());
    // The product is off as in matmul.cpp; scaling and adding round twice more.
    const double tolerance = (4.0 * std::abs(product) * static_cast<double>(k) + 4.0) * 0x1p-24;
    const auto out = problem.expect("c", {.absolute = tolerance, .relative = 0x1p-22});
    ladder::add_product(out, problem.read<float>("a"), problem.read<float>("b"), m, n, k);
    const auto before = problem.read<float>("c");
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = product * out[i] + (old == 0 ? 0.0 : old * double{before[i]});
  }

  std::vector<Case> giant_cases() const override {
    return {shape(80'021, 80'039, 3, kOverwrite), shape(80'020, 80'040, 4, kOverwrite)};
  }

  /// c is only written where beta is 0.
  void outline(ladder::Problem& problem) const override {
    const std::int64_t m = problem.which()["m"], n = problem.which()["n"], k = problem.which()["k"];
    problem.input<float>("a", {m, k});
    problem.input<float>("b", {k, n});
    problem.output<float>("c", {m, n});
  }

  double element(const Case& which, std::string_view, std::int64_t i, const Input& in) const override {
    // Floats hold every product exactly, and the sum.
    return alpha(which) * ladder::product_element(in, i, which["n"], which["k"]);
  }

  ladder::Work work(const Case& which) const override {
    const double m = static_cast<double>(which["m"]), n = static_cast<double>(which["n"]);
    const double k = static_cast<double>(which["k"]), reads = beta(which) == 0 ? 0 : 1;
    return {.bytes_read = (m * k + k * n + reads * m * n) * sizeof(float),
            .bytes_written = m * n * sizeof(float),
            .flops = 2 * m * n * k};
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    return gemm(arguments.get<float>("c"), arguments.get<float>("a"), arguments.get<float>("b"),
                static_cast<int>(which["m"]), static_cast<int>(which["n"]), static_cast<int>(which["k"]),
                alpha(which), beta(which));
  }

 private:
  /// Between 1/2 and 1, of either sign: no product is so small that leaving it out would pass unseen.
  static void fill(std::span<float> matrix, ladder::Random& random) {
    random.uniform(matrix, -0.5f, 0.5f);
    for (float& value : matrix) value += value < 0 ? -0.5f : 0.5f;
  }
};

}  // namespace

LADDER_LESSON(Gemm)
