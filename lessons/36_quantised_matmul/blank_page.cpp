// Reference, cases and work of the blank page.
#include "blank_page.h"

#include <cstdint>
#include <vector>

#include "common/matmul_reference.h"
#include "grader/lesson/lesson.h"
#include "judge/numbers.h"

namespace {

using ladder::Case;

Case shape(std::int64_t m, std::int64_t n, std::int64_t k, Case::Use use = Case::Use::check) {
  return {{{"m", m}, {"n", n}, {"k", k}}, "", use};
}

class FewRowsMatmul : public ladder::Lesson {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    // Around 8 and 16 rows, 64 weights and what a warp takes at a time; nothing to add; no matrix at all.
    std::vector<Case> cases = {shape(1, 8, 16),    shape(0, 8, 16),     shape(16, 0, 16),
                               shape(5, 8, 0),     shape(16, 16, 32),   shape(8, 24, 144),
                               shape(9, 64, 128),  shape(7, 72, 272),   shape(16, 136, 64),
                               shape(15, 40, 528), shape(3, 200, 1040), shape(16, 8, 4112)};
    if (device == ladder::DeviceKind::gpu) {
      cases.push_back(shape(13, 4104, 4080));
      cases.push_back(shape(16, 100'016, 272));
      cases.push_back(shape(16, 28'672, 4096, Case::Use::time));
    } else {
      cases.push_back(shape(16, 8448, 512, Case::Use::time));
    }
    return cases;
  }

  bool valid(const Case& which) const override {
    return which["m"] <= kMostRows && which["n"] % 8 == 0 && which["k"] % 16 == 0;
  }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const std::int64_t m = problem.which()["m"], n = problem.which()["n"], k = problem.which()["k"];
    problem.output<__half>("c", {m, n});
    const auto a = problem.input<__half>("a", {m, k});
    random.uniform(a, __float2half(-1.0f), __float2half(1.0f));
    for (__half& value : a) value = __float2half(away_from_zero(__half2float(value)));
    random.uniform(problem.input<signed char>("w", {n, k}), -128, 127);
    random.uniform(problem.input<float>("w_scale", {n}), 0x1p-11f, 0x1p-10f);
  }

  void reference(ladder::Problem& problem) const override {
    const std::int64_t m = problem.which()["m"], n = problem.which()["n"], k = problem.which()["k"];
    const auto scale = problem.read<float>("w_scale");
    // Products are up to 1/8. A Tensor Core cuts off up to 2^-23 of a sum in each step of 16, always with the
    // same sign; rounding to half precision takes 2^-11.
    const auto c =
        problem.expect("c", {.absolute = static_cast<double>(k + 16) * 0x1p-22, .relative = 0x1.1p-11});
    const auto w = as_floats_transposed(problem.read<signed char>("w"), n, k,
                                        [](signed char value) { return static_cast<float>(value); });
    const auto a = as_floats(problem.read<__half>("a"), [](__half value) { return __half2float(value); });
    ladder::add_product(c, a, w, m, n, k);
    for (std::int64_t i = 0; i < m * n; ++i) c[i] *= scale[i % n];
  }

  ladder::Work work(const Case& which) const override {
    const double m = static_cast<double>(which["m"]), n = static_cast<double>(which["n"]);
    const double k = static_cast<double>(which["k"]);
    return {.bytes_read = n * k + n * sizeof(float) + m * k * sizeof(__half),
            .bytes_written = m * n * sizeof(__half),
            .flops = 2 * m * n * k,
            .unit = ladder::Unit::tensor};
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    return few_rows_matmul(arguments.get<__half>("c"), arguments.get<__half>("a"),
                           arguments.get<signed char>("w"), arguments.get<float>("w_scale"),
                           static_cast<int>(which["m"]), static_cast<int>(which["n"]),
                           static_cast<int>(which["k"]));
  }
};

}  // namespace

LADDER_LESSON(FewRowsMatmul)
