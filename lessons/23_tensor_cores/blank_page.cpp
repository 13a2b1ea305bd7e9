// Reference, cases and work of the blank page.
#include "blank_page.h"

#include "common/matmul_reference.h"
#include "grader/lesson/lesson.h"
#include "grader/lesson/offset.h"

namespace {

using ladder::Case;

Case shape(std::int64_t n, std::int64_t k, Case::Use use = Case::Use::check) {
  return {{{"n", n}, {"k", k}}, "", use};
}

class ScalarProducts : public ladder::Lesson {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    // Around fragments of 16 and tiles of 64 and 128; nothing to add; no row at all.
    std::vector<Case> cases = {shape(0, 4),   shape(1, 1),   shape(2, 3),     shape(3, 0),    shape(16, 16),
                               shape(17, 33), shape(31, 63), shape(33, 64),   shape(64, 31),  shape(65, 5),
                               shape(1, 127), shape(127, 8), shape(129, 129), shape(256, 40), shape(257, 72)};
    ladder::add_with_offsets(cases, shape(64, 32), {"out", "x"});
    if (device == ladder::DeviceKind::gpu) {
      cases.push_back(shape(1'023, 1'021));
      cases.push_back(shape(8'192, 1'024, Case::Use::time));
    } else {
      cases.push_back(shape(512, 128, Case::Use::time));
    }
    return cases;
  }

  bool valid(const Case& which) const override { return which["n"] <= 32'768; }

  /// Between 1/2 and 1, of either sign: no product is so small that leaving it out would pass unseen.
  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const std::int64_t n = problem.which()["n"], k = problem.which()["k"];
    const auto x = problem.input<__half>("x", {n, k});
    random.uniform(x, __float2half(-0.5f), __float2half(0.5f));
    for (__half& value : x) {
      const float drawn = __half2float(value);
      value = __float2half(drawn + (drawn < 0 ? -0.5f : 0.5f));
    }
    problem.output<float>("out", {n, n});
  }

  void reference(ladder::Problem& problem) const override {
    const std::int64_t n = problem.which()["n"], k = problem.which()["k"];
    // As in tensor_cores.cpp: a step of 16 loses up to 2^-23 of a sum, here of up to k where i is j, always
    // with the same sign: k / 16 steps of k * 2^-23, or k * k * 2^-27, which is less than k * 2^-17.
    const auto out = problem.expect("out", {.absolute = static_cast<double>(k) * 0x1p-17});
    const auto x = problem.read<__half>("x");
    std::vector<float> rows(x.size()), columns(x.size());
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t p = 0; p < k; ++p) rows[i * k + p] = columns[p * n + i] = __half2float(x[i * k + p]);
    ladder::add_product(out, rows, columns, n, n, k);
  }

  ladder::Work work(const Case& which) const override {
    const double n = static_cast<double>(which["n"]), k = static_cast<double>(which["k"]);
    return {.bytes_read = n * k * sizeof(__half),
            .bytes_written = n * n * sizeof(float),
            .flops = 2 * n * n * k,
            .unit = ladder::Unit::tensor};
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    return scalar_products(arguments.get<float>("out"), arguments.get<__half>("x"),
                           static_cast<int>(which["n"]), static_cast<int>(which["k"]));
  }
};

}  // namespace

LADDER_LESSON(ScalarProducts)
