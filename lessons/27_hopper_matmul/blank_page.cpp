// Reference, cases and work of the blank page.
#include "blank_page.h"

#include "common/matmul_reference.h"
#include "grader/lesson/giant.h"
#include "grader/lesson/lesson.h"
#include "judge/bf16.h"

namespace {

using ladder::Case;

Case shape(std::int64_t tokens, std::int64_t outs, std::int64_t ins, Case::Use use = Case::Use::check) {
  return {{{"tokens", tokens}, {"outs", outs}, {"ins", ins}}, "", use};
}

class WeightGradient : public ladder::Lesson, public ladder::Giant {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    // Around tiles of 64 and 128 and steps of 64; many steps; nothing to add; no matrix at all.
    std::vector<Case> cases = {
        shape(1, 8, 8),     shape(0, 8, 8),     shape(5, 0, 8),      shape(5, 8, 0),      shape(16, 16, 16),
        shape(3, 64, 72),   shape(64, 64, 64),  shape(65, 56, 136),  shape(129, 128, 64), shape(1000, 8, 128),
        shape(31, 264, 40), shape(63, 72, 200), shape(704, 120, 64), shape(128, 256, 256)};
    if (device == ladder::DeviceKind::gpu) {
      cases.push_back(shape(1021, 1032, 1016));
      cases.push_back(shape(8192, 4096, 4096, Case::Use::time));
    } else {
      cases.push_back(shape(256, 1408, 1536, Case::Use::time));
    }
    return cases;
  }

  /// Rows begin at multiples of 16 bytes.
  bool valid(const Case& which) const override { return which["outs"] % 8 == 0 && which["ins"] % 8 == 0; }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const Case& which = problem.which();
    fill(problem.input<__nv_bfloat16>("dy", {which["tokens"], which["outs"]}), random);
    fill(problem.input<__nv_bfloat16>("x", {which["tokens"], which["ins"]}), random);
    problem.output<__nv_bfloat16>("dw", {which["outs"], which["ins"]});
  }

  void reference(ladder::Problem& problem) const override {
    const std::int64_t tokens = problem.which()["tokens"];
    const std::int64_t outs = problem.which()["outs"], ins = problem.which()["ins"];
    ladder::add_product(problem.expect("dw", tolerance_of_sums(tokens)),
                        as_floats_transposed(problem.read<__nv_bfloat16>("dy"), tokens, outs),
                        as_floats(problem.read<__nv_bfloat16>("x")), outs, ins, tokens);
  }

  std::vector<Case> giant_cases() const override { return {shape(5, 80'024, 80'040)}; }

  void outline(ladder::Problem& problem) const override {
    const Case& which = problem.which();
    problem.input<__nv_bfloat16>("dy", {which["tokens"], which["outs"]});
    problem.input<__nv_bfloat16>("x", {which["tokens"], which["ins"]});
    problem.output<__nv_bfloat16>("dw", {which["outs"], which["ins"]});
  }

  double element(const Case& which, std::string_view, std::int64_t i, const Input& in) const override {
    const std::int64_t outs = which["outs"], ins = which["ins"];
    double sum = 0;
    for (std::int64_t t = 0; t < which["tokens"]; ++t)
      sum += in("dy", t * outs + i / ins) * in("x", t * ins + i % ins);
    return sum;
  }

  /// A float holds the sum of a few products exactly; what is left is the rounding to bf16.
  ladder::Tolerance tolerance(const Case&) const override { return {.relative = 0x1p-8}; }

  ladder::Work work(const Case& which) const override {
    const double tokens = static_cast<double>(which["tokens"]);
    const double outs = static_cast<double>(which["outs"]), ins = static_cast<double>(which["ins"]);
    return {.bytes_read = tokens * (outs + ins) * sizeof(__nv_bfloat16),
            .bytes_written = outs * ins * sizeof(__nv_bfloat16),
            .flops = 2 * tokens * outs * ins,
            .unit = ladder::Unit::warpgroup};
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    return weight_gradient(arguments.get<__nv_bfloat16>("dw"), arguments.get<__nv_bfloat16>("dy"),
                           arguments.get<__nv_bfloat16>("x"), static_cast<int>(which["tokens"]),
                           static_cast<int>(which["outs"]), static_cast<int>(which["ins"]));
  }
};

}  // namespace

LADDER_LESSON(WeightGradient)
