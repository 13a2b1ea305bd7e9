// Reference, cases and work of the blank page.
#include "blank_page.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "grader/lesson/lesson.h"
#include "judge/attend.h"

namespace {

using ladder::Case;
using Bf16 = __nv_bfloat16;

Case shape(std::int64_t tokens, std::int64_t words, std::string kind = kMixed,
           Case::Use use = Case::Use::check) {
  return {{{"tokens", tokens}, {"words", words}}, std::move(kind), use};
}

class TokenLosses : public ladder::Lesson {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    // Around fragments and tiles of 64 and 128; one word; no token.
    std::vector<Case> cases = {shape(0, 5),     shape(1, 1),     shape(5, 1),    shape(1, 33),
                               shape(16, 16),   shape(17, 300),  shape(63, 65),  shape(65, 64),
                               shape(128, 127), shape(129, 130), shape(3, 1000), shape(200, 192),
                               shape(40, 7)};
    for (const char* kind : {"rising", "falling", "far below 0", "large", "equal"})
      for (const auto& [tokens, words] : {std::pair{20, 70}, {40, 200}})
        cases.push_back(shape(tokens, words, kind));
    if (device == ladder::DeviceKind::gpu) {
      cases.push_back(shape(1021, 5003));
      cases.push_back(shape(16'384, 32'768, kMixed, Case::Use::time));
    } else {
      cases.push_back(shape(512, 512, kMixed, Case::Use::time));
    }
    return cases;
  }

  bool valid(const Case& which) const override { return which["words"] >= 1; }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const std::int64_t tokens = problem.which()["tokens"], words = problem.which()["words"];
    const auto x = problem.input<Bf16>("x", {tokens, kDim}), w = problem.input<Bf16>("w", {words, kDim});
    // Nothing divides by the root of kDim here: words that much smaller give the same logits.
    fill(x, w, kDim, words, problem.which().variant, random);
    for (Bf16& value : w) value = __float2bfloat16(__bfloat162float(value) * 0.09f);
    random.uniform(problem.input<int>("target", {tokens}), 0, static_cast<int>(words - 1));
    problem.output<float>("loss", {tokens});
  }

  void reference(ladder::Problem& problem) const override {
    const std::int64_t words = problem.which()["words"];
    const auto target = problem.read<int>("target");
    // A Tensor Core cuts off what does not fit: 8 steps lose up to 2^-23 of a logit's size each, and logits
    // of hundreds, which the difference of two cancels, are off by a thousandth.
    const bool small = problem.which().variant == kMixed || problem.which().variant == "equal";
    const auto loss = problem.expect("loss", {.absolute = small ? 0x1p-11 : 0x1p-8, .relative = 0x1p-16});
    for_scores(problem.read<Bf16>("x"), problem.read<Bf16>("w"), kDim, 1,
               [&](std::int64_t first, std::int64_t rows, const double* logits) {
                 for (std::int64_t row = 0; row < rows; ++row, logits += words) {
                   const double most = *std::max_element(logits, logits + words);
                   double sum = 0;
                   for (std::int64_t j = 0; j < words; ++j) sum += std::exp(logits[j] - most);
                   loss[first + row] = most + std::log(sum) - logits[target[first + row]];
                 }
               });
  }

  ladder::Work work(const Case& which) const override {
    const double tokens = static_cast<double>(which["tokens"]), words = static_cast<double>(which["words"]);
    return {.bytes_read = (tokens + words) * kDim * sizeof(Bf16) + tokens * sizeof(int),
            .bytes_written = tokens * sizeof(float),
            .flops = 2 * tokens * words * kDim,
            .unit = ladder::Unit::tensor};
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    return token_losses(arguments.get<float>("loss"), arguments.get<Bf16>("x"), arguments.get<Bf16>("w"),
                        arguments.get<int>("target"), static_cast<int>(which["tokens"]),
                        static_cast<int>(which["words"]));
  }
};

}  // namespace

LADDER_LESSON(TokenLosses)
