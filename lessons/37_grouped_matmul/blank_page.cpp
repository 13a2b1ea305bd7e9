// Reference, cases and work of the blank page.
#include "blank_page.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "grader/lesson/lesson.h"
#include "judge/experts.h"

namespace {

using ladder::Case;
using Bf16 = __nv_bfloat16;

Case layer(const char* kind, std::int64_t experts, std::int64_t rows, std::int64_t outs, std::int64_t ins,
           Case::Use use = Case::Use::check) {
  return {{{"experts", experts}, {"rows", rows}, {"outs", outs}, {"ins", ins}}, kind, use};
}

class ExpertGradients : public ladder::Lesson {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    // Nothing at all; around tiles of 64 and 128 and steps of 64; more steps than a ring has stages; more
    // experts than rows.
    std::vector<Case> cases = {
        layer(kMixed, 2, 0, 8, 8),      layer(kMixed, 3, 7, 0, 8),      layer(kMixed, 3, 7, 8, 0),
        layer(kMixed, 1, 1, 8, 8),      layer(kMixed, 5, 3, 16, 8),     layer(kEven, 3, 192, 64, 72),
        layer(kMixed, 7, 200, 24, 136), layer(kMixed, 5, 333, 136, 40), layer(kMixed, 40, 500, 8, 16),
        layer(kMixed, 4, 900, 72, 24),  layer(kOne, 6, 390, 8, 72),     layer(kEven, 4, 390, 128, 128),
        layer(kMixed, 200, 90, 16, 8)};
    if (device == ladder::DeviceKind::gpu) {
      cases.push_back(layer(kMixed, 61, 5003, 520, 776));
      cases.push_back(layer(kSkewed, 128, 32'768, 1536, 2048, Case::Use::time));
    } else {
      cases.push_back(layer(kSkewed, 12, 1024, 512, 768, Case::Use::time));
    }
    return cases;
  }

  bool valid(const Case& which) const override {
    return which["experts"] >= 1 && which["experts"] <= kMostExperts && which["outs"] % 8 == 0 &&
           which["ins"] % 8 == 0;
  }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const Case& which = problem.which();
    const std::vector<int> start = starts(draw_sizes(which.variant, which["experts"], which["rows"], random));
    problem.output<Bf16>("dw", {which["experts"], which["outs"], which["ins"]});
    fill(problem.input<Bf16>("dy", {which["rows"], which["outs"]}), random);
    fill(problem.input<Bf16>("x", {which["rows"], which["ins"]}), random);
    const auto stored = problem.input<int>("start", {which["experts"] + 1});
    std::copy(start.begin(), start.end(), stored.begin());
  }

  void reference(ladder::Problem& problem) const override {
    const std::int64_t experts = problem.which()["experts"];
    const std::int64_t outs = problem.which()["outs"], ins = problem.which()["ins"];
    const auto dy = problem.read<Bf16>("dy"), x = problem.read<Bf16>("x");
    const auto start = problem.read<int>("start");
    std::int64_t most = 0;
    for (std::int64_t e = 0; e < experts; ++e) most = std::max<std::int64_t>(most, start[e + 1] - start[e]);
    const auto dw = problem.expect("dw", tolerance_of_sums(most));
    for (std::int64_t e = 0; e < experts; ++e) {
      const std::int64_t first = start[e], height = start[e + 1] - first;
      std::vector<float> rows(height * ins);
      for (std::int64_t i = 0; i < height * ins; ++i) rows[i] = __bfloat162float(x[first * ins + i]);
      ladder::add_product(dw.subspan(e * outs * ins, outs * ins),
                          transposed(dy.subspan(first * outs, height * outs), height, outs), rows, outs, ins,
                          height);
    }
  }

  ladder::Work work(const Case& which) const override {
    const auto rows = static_cast<double>(which["rows"]), experts = static_cast<double>(which["experts"]);
    const auto outs = static_cast<double>(which["outs"]), ins = static_cast<double>(which["ins"]);
    return {.bytes_read = rows * (outs + ins) * sizeof(Bf16),
            .bytes_written = experts * outs * ins * sizeof(Bf16),
            .flops = 2 * rows * outs * ins,
            .unit = ladder::Unit::warpgroup};
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    return expert_gradients(arguments.get<Bf16>("dw"), arguments.get<Bf16>("dy"), arguments.get<Bf16>("x"),
                            arguments.get<int>("start"), static_cast<int>(which["experts"]),
                            static_cast<int>(which["rows"]), static_cast<int>(which["outs"]),
                            static_cast<int>(which["ins"]));
  }
};

}  // namespace

LADDER_LESSON(ExpertGradients)
