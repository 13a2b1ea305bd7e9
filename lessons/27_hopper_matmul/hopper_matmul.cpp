// Reference, cases and work of the lesson; the rungs are the .cu files beside this one.
#include "hopper_matmul.h"

#include "common/matmul_reference.h"
#include "grader/lesson/giant.h"
#include "grader/lesson/lesson.h"
#include "judge/bf16.h"

namespace {

using ladder::Case;

Case shape(std::int64_t m, std::int64_t n, std::int64_t k, Case::Use use = Case::Use::check) {
  return {{{"m", m}, {"n", n}, {"k", k}}, "", use};
}

class HopperMatmul : public ladder::Lesson, public ladder::Giant {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    // Around the edges of 64 rows, of tiles of 128 and 256, and of steps of 64; more steps than a ring has
    // stages, so that every phase comes twice; nothing to add; no matrix at all.
    std::vector<Case> cases = {shape(1, 8, 8),      shape(3, 8, 0),     shape(0, 8, 8),
                               shape(4, 0, 8),      shape(16, 16, 16),  shape(2, 8, 72),
                               shape(64, 64, 64),   shape(63, 72, 56),  shape(65, 64, 136),
                               shape(128, 128, 64), shape(9, 8, 904),   shape(129, 8, 24),
                               shape(127, 136, 72), shape(5, 264, 16),  shape(200, 120, 704),
                               shape(257, 256, 80), shape(256, 256, 64)};
    if (device == ladder::DeviceKind::gpu) {
      cases.push_back(shape(1021, 1032, 1016));
      cases.push_back(shape(100'003, 8, 40));  // a prime; many tiles one below the other
      cases.push_back(shape(8, 100'008, 40));
      cases.push_back(shape(4096, 4096, 4096, Case::Use::time));
    } else {
      cases.push_back(shape(2100, 2056, 200));  // more tiles than multiprocessors, and than a band is high
      cases.push_back(shape(2816, 2048, 256, Case::Use::time));
    }
    return cases;
  }

  /// Rows begin at multiples of 16 bytes.
  bool valid(const Case& which) const override { return which["n"] % 8 == 0 && which["k"] % 8 == 0; }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const std::int64_t m = problem.which()["m"], n = problem.which()["n"], k = problem.which()["k"];
    fill(problem.input<__nv_bfloat16>("a", {m, k}), random);
    fill(problem.input<__nv_bfloat16>("b", {n, k}), random);
    problem.output<__nv_bfloat16>("c", {m, n});
  }

  void reference(ladder::Problem& problem) const override {
    const std::int64_t m = problem.which()["m"], n = problem.which()["n"], k = problem.which()["k"];
    const auto c = problem.expect("c", tolerance_of_sums(k));
    ladder::add_product(c, as_floats(problem.read<__nv_bfloat16>("a")),
                        as_floats_transposed(problem.read<__nv_bfloat16>("b"), n, k), m, n, k);
  }

  // Rows of one tile: a sampled block of a persistent kernel stores a 132nd of all that is given, and of wide
  // rows would touch eight times the pages.
  std::vector<Case> giant_cases() const override { return {shape(17'320'001, 248, 8)}; }

  void outline(ladder::Problem& problem) const override {
    const std::int64_t m = problem.which()["m"], n = problem.which()["n"], k = problem.which()["k"];
    problem.input<__nv_bfloat16>("a", {m, k});
    problem.input<__nv_bfloat16>("b", {n, k});
    problem.output<__nv_bfloat16>("c", {m, n});
  }

  double element(const Case& which, std::string_view, std::int64_t i, const Input& in) const override {
    const std::int64_t n = which["n"], k = which["k"];
    double sum = 0;
    for (std::int64_t l = 0; l < k; ++l) sum += in("a", i / n * k + l) * in("b", i % n * k + l);
    return sum;
  }

  /// A float holds the sum of 8 products exactly; what is left is the rounding to bf16.
  ladder::Tolerance tolerance(const Case&) const override { return {.relative = 0x1p-8}; }

  ladder::Work work(const Case& which) const override {
    const double m = static_cast<double>(which["m"]), n = static_cast<double>(which["n"]);
    const double k = static_cast<double>(which["k"]);
    return {.bytes_read = (m * k + n * k) * sizeof(__nv_bfloat16),
            .bytes_written = m * n * sizeof(__nv_bfloat16),
            .flops = 2 * m * n * k,
            .unit = ladder::Unit::warpgroup};
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    return hopper_matmul(arguments.get<__nv_bfloat16>("c"), arguments.get<__nv_bfloat16>("a"),
                         arguments.get<__nv_bfloat16>("b"), static_cast<int>(which["m"]),
                         static_cast<int>(which["n"]), static_cast<int>(which["k"]));
  }
};

}  // namespace

LADDER_LESSON(HopperMatmul)
