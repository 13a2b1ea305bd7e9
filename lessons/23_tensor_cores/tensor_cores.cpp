// Reference, cases and work of the lesson; the rungs are the .cu files beside this one.
#include "tensor_cores.h"

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

class TensorCores : public ladder::Lesson, public ladder::Giant {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    // Around the edges of fragments of 16 and tiles of 128; whole tiles; nothing to add; no matrix at all.
    std::vector<Case> cases = {
        shape(1, 1, 1),       shape(2, 3, 4),      shape(3, 2, 0),      shape(0, 4, 4),
        shape(4, 0, 4),       shape(16, 16, 16),   shape(17, 15, 33),   shape(1, 129, 3),
        shape(129, 1, 5),     shape(1, 8, 72),     shape(1, 8, 1000),   shape(16, 8, 8),
        shape(24, 40, 56),    shape(31, 33, 63),   shape(129, 127, 4),  shape(128, 128, 4),
        shape(8, 136, 48),    shape(64, 64, 64),   shape(63, 65, 67),   shape(127, 129, 31),
        shape(128, 128, 160), shape(136, 264, 72), shape(129, 127, 129)};
    cases.push_back(shape(65'536, 1, 1));  // more than a grid has blocks in y
    cases.push_back(shape(1, 65'536, 1));
    for (const auto& [m, n, k] : {std::array{16, 16, 16}, {128, 128, 64}})
      ladder::add_with_offsets(cases, shape(m, n, k), {"c", "a", "b"});
    if (device == ladder::DeviceKind::gpu) {
      cases.push_back(shape(1023, 1025, 1021));
      cases.push_back(shape(520, 2056, 296));  // whole 16-byte vectors, ragged tiles
      cases.push_back(shape(100'003, 3, 5));   // a prime; many tiles one below the other
      cases.push_back(shape(4096, 4096, 4096, Case::Use::time));
    } else {
      cases.push_back(shape(1408, 1536, 256, Case::Use::time));  // 132 tiles of 128 x 128
    }
    return cases;
  }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const std::int64_t m = problem.which()["m"], n = problem.which()["n"], k = problem.which()["k"];
    fill(problem.input<__half>("a", {m, k}), random);
    fill(problem.input<__half>("b", {k, n}), random);
    problem.output<float>("c", {m, n});
  }

  void reference(ladder::Problem& problem) const override {
    const std::int64_t m = problem.which()["m"], n = problem.which()["n"], k = problem.which()["k"];
    // Products of two halves are exact in a float. But a Tensor Core adds up several at a time and cuts off
    // what does not fit, rather than round: each step of 16 loses up to 2^-23 of a sum that is about sqrt(k),
    // and all losses have the same sign. Sums kept in half precision would be off by a hundred times as much.
    const double tolerance = static_cast<double>(k) * 0x1p-19;
    const auto c = problem.expect("c", {.absolute = tolerance});
    ladder::add_product(c, as_floats(problem.read<__half>("a")), as_floats(problem.read<__half>("b")), m, n,
                        k);
  }

  std::vector<Case> giant_cases() const override {
    return {shape(80'021, 80'039, 3), shape(80'016, 80'032, 16)};
  }

  void outline(ladder::Problem& problem) const override {
    const std::int64_t m = problem.which()["m"], n = problem.which()["n"], k = problem.which()["k"];
    problem.input<__half>("a", {m, k});
    problem.input<__half>("b", {k, n});
    problem.output<float>("c", {m, n});
  }

  double element(const Case& which, std::string_view, std::int64_t i, const Input& in) const override {
    // A Tensor Core holds every product exactly, and the sum.
    return ladder::product_element(in, i, which["n"], which["k"]);
  }

  ladder::Work work(const Case& which) const override {
    const double m = static_cast<double>(which["m"]), n = static_cast<double>(which["n"]);
    const double k = static_cast<double>(which["k"]);
    return {.bytes_read = (m * k + k * n) * sizeof(__half),
            .bytes_written = m * n * sizeof(float),
            .flops = 2 * m * n * k,
            .unit = ladder::Unit::tensor};
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    return half_matmul(arguments.get<float>("c"), arguments.get<__half>("a"), arguments.get<__half>("b"),
                       static_cast<int>(which["m"]), static_cast<int>(which["n"]),
                       static_cast<int>(which["k"]));
  }

 private:
  /// Between 1/2 and 1, of either sign: no product is so small that leaving it out would pass unseen.
  static void fill(std::span<__half> matrix, ladder::Random& random) {
    random.uniform(matrix, __float2half(-0.5f), __float2half(0.5f));
    for (__half& value : matrix) {
      const float drawn = __half2float(value);
      value = __float2half(drawn + (drawn < 0 ? -0.5f : 0.5f));
    }
  }

  static std::vector<float> as_floats(std::span<const __half> halves) {
    std::vector<float> floats(halves.size());
    for (std::size_t i = 0; i < halves.size(); ++i) floats[i] = __half2float(halves[i]);
    return floats;
  }
};

}  // namespace

LADDER_LESSON(TensorCores)
