// Reference, cases and work of the lesson; the rungs are the .cu files beside this one.
#include "batched_matmul_bias_relu.h"

#include <algorithm>

#include "common/matmul_reference.h"
#include "grader/lesson/giant.h"
#include "grader/lesson/lesson.h"
#include "grader/lesson/offset.h"

namespace {

using ladder::Case;

Case shape(std::int64_t batch, std::int64_t m, std::int64_t n, std::int64_t k,
           Case::Use use = Case::Use::check) {
  return {{{"batch", batch}, {"m", m}, {"n", n}, {"k", k}}, "", use};
}

class BatchedMatmulBiasRelu : public ladder::Lesson, public ladder::Giant {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    // Around tiles of 32 and 64; whole tiles; nothing to multiply, when relu(bias) is left; no matrix at all.
    std::vector<Case> cases = {
        shape(1, 1, 1, 1),      shape(2, 3, 4, 5),      shape(3, 2, 5, 0),     shape(0, 3, 4, 5),
        shape(3, 0, 4, 4),      shape(2, 3, 0, 3),      shape(33, 7, 9, 11),   shape(100, 4, 8, 4),
        shape(1, 31, 33, 64),   shape(2, 33, 31, 17),   shape(1, 32, 32, 64),  shape(1, 33, 35, 40),
        shape(1, 65, 63, 13),   shape(3, 9, 70, 33),    shape(7, 31, 33, 65),  shape(2, 64, 64, 64),
        shape(3, 65, 63, 33),   shape(2, 129, 127, 30), shape(2, 36, 100, 68), shape(1, 128, 256, 16),
        shape(1, 65'536, 1, 1), shape(1, 1, 65'536, 1)};  // more than the grid has room for in y or z
    ladder::add_with_offsets(cases, shape(2, 32, 64, 16), {"out", "a", "b", "bias"});
    if (device == ladder::DeviceKind::gpu) {
      cases.push_back(shape(65'536, 1, 1, 1));  // among the giant cases of the simulator: many blocks
      cases.push_back(shape(70'001, 3, 5, 4));
      cases.push_back(shape(3, 1001, 500, 300));
    }
    const std::int64_t batch = device == ladder::DeviceKind::gpu ? 32'768 : 1024;
    cases.push_back(shape(batch, 32, 32, 64, Case::Use::time));
    return cases;
  }

  /// As many launches as the largest batches have would take the simulator minutes.
  bool applies(const Case& which, std::string_view rung) const override {
    return which["batch"] < 65'536 || !rung.starts_with("1_");
  }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const auto [batch, m, n, k] = extents(problem.which());
    fill(problem.input<float>("a", {batch, m, k}), random);
    fill(problem.input<float>("b", {batch, k, n}), random);
    random.uniform(problem.input<float>("bias", {n}), -1.0f, 1.0f);
    problem.output<float>("out", {batch, m, n});
  }

  void reference(ladder::Problem& problem) const override {
    const auto [batch, m, n, k] = extents(problem.which());
    // As in the lesson on matrix products, and one more rounding for the bias.
    const double tolerance = (4.0 * static_cast<double>(k) + 2.0) * 0x1p-24;
    const auto out = problem.expect("out", {.absolute = tolerance});
    const auto a = problem.read<float>("a"), b = problem.read<float>("b"), bias = problem.read<float>("bias");
    for (std::int64_t s = 0; s < batch; ++s) {
      const auto one = out.subspan(s * m * n, m * n);
      for (std::int64_t i = 0; i < m * n; ++i) one[i] = bias[i % n];
      ladder::add_product(one, a.subspan(s * m * k, m * k), b.subspan(s * k * n, k * n), m, n, k);
      for (double& value : one) value = std::max(0.0, value);
    }
  }

  std::vector<Case> giant_cases() const override {
    return {shape(65'536, 1, 1, 1), shape(3, 40'009, 53'003, 2), shape(60'000'011, 9, 11, 2),
            shape(90'017, 260, 268, 4)};
  }

  void outline(ladder::Problem& problem) const override {
    const auto [batch, m, n, k] = extents(problem.which());
    problem.input<float>("a", {batch, m, k});
    problem.input<float>("b", {batch, k, n});
    problem.input<float>("bias", {n});
    problem.output<float>("out", {batch, m, n});
  }

  double element(const Case& which, std::string_view, std::int64_t i, const Input& in) const override {
    const auto [batch, m, n, k] = extents(which);
    const std::int64_t row = i / n, col = i % n, s = row / m;
    double sum = in("bias", col);  // floats hold every product exactly, and the sum
    for (std::int64_t p = 0; p < k; ++p) sum += in("a", row * k + p) * in("b", (s * k + p) * n + col);
    return std::max(0.0, sum);
  }

  ladder::Work work(const Case& which) const override {
    const auto [batch, m, n, k] = extents(which);
    const double matrices = static_cast<double>(batch);
    return {.bytes_read =
                (matrices * static_cast<double>(m * k + k * n) + static_cast<double>(n)) * sizeof(float),
            .bytes_written = matrices * static_cast<double>(m * n) * sizeof(float),
            .flops = 2 * matrices * static_cast<double>(m * n) * static_cast<double>(k)};
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    return batched_matmul_bias_relu(arguments.get<float>("out"), arguments.get<float>("a"),
                                    arguments.get<float>("b"), arguments.get<float>("bias"),
                                    static_cast<int>(which["batch"]), static_cast<int>(which["m"]),
                                    static_cast<int>(which["n"]), static_cast<int>(which["k"]));
  }

 private:
  struct Extents {
    std::int64_t batch, m, n, k;
  };
  static Extents extents(const Case& which) { return {which["batch"], which["m"], which["n"], which["k"]}; }

  /// Between 1/2 and 1, of either sign: no product is so small that leaving it out would pass unseen.
  static void fill(std::span<float> matrices, ladder::Random& random) {
    random.uniform(matrices, -0.5f, 0.5f);
    for (float& value : matrices) value += value < 0 ? -0.5f : 0.5f;
  }
};

}  // namespace

LADDER_LESSON(BatchedMatmulBiasRelu)
