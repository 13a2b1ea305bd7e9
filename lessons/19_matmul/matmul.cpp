// Reference, cases and work of the lesson; the rungs are the .cu files beside this one.
#include "matmul.h"

#include <array>

#include "common/matmul_reference.h"
#include "grader/lesson/giant.h"
#include "grader/lesson/lesson.h"
#include "grader/lesson/offset.h"

namespace {

using ladder::Case;

Case shape(std::int64_t m, std::int64_t n, std::int64_t k, Case::Use use = Case::Use::check) {
  return {{{"m", m}, {"n", n}, {"k", k}}, "", use};
}

class Matmul : public ladder::Lesson, public ladder::Giant {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    // Around the edges of a warp and of tiles of 32, 64 and 128; whole tiles; nothing to add; no matrix.
    std::vector<Case> cases = {
        shape(1, 1, 1),      shape(2, 3, 4),      shape(3, 2, 0),     shape(0, 4, 4),
        shape(4, 0, 4),      shape(1, 129, 3),    shape(129, 1, 5),   shape(1, 1, 1025),
        shape(4, 4, 4),      shape(32, 32, 32),   shape(33, 31, 32),  shape(129, 127, 4),
        shape(31, 33, 7),    shape(64, 64, 64),   shape(63, 65, 67),  shape(127, 129, 31),
        shape(128, 128, 16), shape(129, 127, 33), shape(132, 68, 36), shape(128, 256, 8)};
    cases.push_back(shape(65'536, 1, 1));  // more than a grid has blocks in y
    cases.push_back(shape(1, 65'536, 1));
    for (const auto& [m, n, k] : {std::array{4, 8, 4}, {128, 128, 32}})
      ladder::add_with_offsets(cases, shape(m, n, k), {"c", "a", "b"});
    if (device == ladder::DeviceKind::gpu) {
      cases.push_back(shape(1023, 1025, 1021));
      cases.push_back(shape(516, 2052, 300));  // whole 16-byte vectors, ragged tiles
      cases.push_back(shape(100'003, 3, 5));   // a prime; many tiles one below the other
      cases.push_back(shape(3, 100'003, 5));
      cases.push_back(shape(4096, 4096, 4096, Case::Use::time));
    } else {
      cases.push_back(shape(2816, 3072, 128, Case::Use::time));  // 4 * 132 tiles of 128 x 128
    }
    return cases;
  }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const std::int64_t m = problem.which()["m"], n = problem.which()["n"], k = problem.which()["k"];
    fill(problem.input<float>("a", {m, k}), random);
    fill(problem.input<float>("b", {k, n}), random);
    problem.output<float>("c", {m, n});
  }

  void reference(ladder::Problem& problem) const override {
    const std::int64_t m = problem.which()["m"], n = problem.which()["n"], k = problem.which()["k"];
    // Every addition rounds by up to 2^-24 of the sum so far, which random signs keep near sqrt(k): after k
    // of them the error is about k * 2^-24 / 4, and five times that for the worst of 16 million elements.
    // Factors rounded to 11 bits, as half precision and TF32 have them, would be off by some sqrt(k) * 2^-12.
    const double tolerance = 4.0 * static_cast<double>(k) * 0x1p-24;
    ladder::add_product(problem.expect("c", {.absolute = tolerance}), problem.read<float>("a"),
                        problem.read<float>("b"), m, n, k);
  }

  std::vector<Case> giant_cases() const override {
    return {shape(80'021, 80'039, 3), shape(80'020, 80'040, 4)};
  }

  void outline(ladder::Problem& problem) const override {
    const std::int64_t m = problem.which()["m"], n = problem.which()["n"], k = problem.which()["k"];
    problem.input<float>("a", {m, k});
    problem.input<float>("b", {k, n});
    problem.output<float>("c", {m, n});
  }

  double element(const Case& which, std::string_view, std::int64_t i, const Input& in) const override {
    // Floats hold every product exactly, and the sum.
    return ladder::product_element(in, i, which["n"], which["k"]);
  }

  ladder::Work work(const Case& which) const override {
    const double m = static_cast<double>(which["m"]), n = static_cast<double>(which["n"]);
    const double k = static_cast<double>(which["k"]);
    return {.bytes_read = (m * k + k * n) * sizeof(float),
            .bytes_written = m * n * sizeof(float),
            .flops = 2 * m * n * k};
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    return matmul(arguments.get<float>("c"), arguments.get<float>("a"), arguments.get<float>("b"),
                  static_cast<int>(which["m"]), static_cast<int>(which["n"]), static_cast<int>(which["k"]));
  }

 private:
  /// Between 1/2 and 1, of either sign: no product is so small that leaving it out would pass unseen.
  static void fill(std::span<float> matrix, ladder::Random& random) {
    random.uniform(matrix, -0.5f, 0.5f);
    for (float& value : matrix) value += value < 0 ? -0.5f : 0.5f;
  }
};

}  // namespace

LADDER_LESSON(Matmul)
