// Reference, cases and work of the lesson; the rungs are the .cu files beside this one.
#include "hopper_attention.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grader/lesson/lesson.h"
#include "judge/heads.h"

// A rung defines one of the two; the address of the other is null.
cudaError_t attention(__nv_bfloat16*, const __nv_bfloat16*, const __nv_bfloat16*, const __nv_bfloat16*, int,
                      int, int, int) __attribute__((weak));
cudaError_t causal_attention(__nv_bfloat16*, const __nv_bfloat16*, const __nv_bfloat16*, const __nv_bfloat16*,
                             int, int, int, int) __attribute__((weak));

namespace {

using ladder::Case;

// What a case's variant begins with: the function.
constexpr const char* kFull = "attention";
constexpr const char* kCausal = "causal_attention";

bool is_causal(const Case& which) { return which.variant.starts_with(kCausal); }

class HopperAttention : public ladder::Lesson {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    // Around a warp's rows, a warpgroup's, a block's, and a tile of keys; more tiles than a ring has stages,
    // so that every phase comes twice; heads that share keys; more queries than keys, of which causal ones
    // see none; one query; nobody to look at; nobody who looks.
    constexpr Extents kShapes[] = {{0, 1, 5, 5},     {2, 2, 0, 7},    {2, 1, 5, 0},    {1, 1, 1, 1},
                                   {3, 1, 17, 2},    {1, 1, 1, 33},   {2, 2, 16, 16},  {1, 1, 63, 65},
                                   {2, 1, 90, 200},  {1, 1, 128, 64}, {1, 1, 65, 127}, {1, 1, 129, 128},
                                   {4, 2, 33, 260},  {2, 2, 200, 70}, {1, 1, 130, 1},  {2, 2, 64, 384},
                                   {2, 1, 129, 129}, {3, 3, 20, 650}, {1, 1, 3, 1300}, {140, 2, 1, 130}};
    std::vector<Case> cases;
    for (const char* function : {kFull, kCausal}) {
      for (const Extents& of : kShapes) cases.push_back(case_of(function, of));
      for (const char* kind : {", rising", ", falling", ", far below 0", ", large", ", equal"})
        for (const auto& [queries, keys] : {std::pair{20, 70}, {40, 300}})
          cases.push_back(case_of(function + std::string(kind), {2, 2, queries, keys}));
      // More keys than rung 6 takes for what stays in the L2: bands of heads, and a last one that is
      // narrower.
      if (function == kCausal) cases.push_back(case_of(function, {35, 35, 130, 1000}));
      if (device == ladder::DeviceKind::gpu) {
        cases.push_back(case_of(function, {3, 3, 1021, 1019}));
        cases.push_back(case_of(function, {70, 35, 129, 257}));
        cases.push_back(case_of(function, {1, 1, 5000, 77}));
        cases.push_back(case_of(function, {1, 1, 77, 5000}));
        cases.push_back(case_of(function, {32, 32, 4096, 4096}, Case::Use::time));
      } else {
        cases.push_back(case_of(function,
                                function == kCausal ? Extents{4, 2, 512, 512} : Extents{32, 16, 640, 256},
                                Case::Use::time));
      }
    }
    return cases;
  }

  bool valid(const Case& which) const override { return heads_divide(which); }

  bool applies(const Case& which, std::string_view rung) const override {
    return is_causal(which) == (rung.find("causal") != std::string_view::npos);
  }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    declare_heads(problem, random);
  }

  void reference(ladder::Problem& problem) const override {
    const Extents of = extents_of(problem.which());
    attend_heads(problem, [&](std::int64_t query) {
      return is_causal(problem.which())
                 ? std::clamp<std::int64_t>(query + of.keys - of.queries + 1, 0, of.keys)
                 : of.keys;
    });
  }

  ladder::Work work(const Case& which) const override {
    // Half of the scores are those of a square's triangle.
    const auto keys = static_cast<double>(which["keys"]);
    return work_of(which, is_causal(which) ? keys / 2 : keys);
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    const auto function = is_causal(which) ? &causal_attention : &attention;
    if (function == nullptr)
      throw ladder::Objection(is_causal(which) ? "this rung lacks causal_attention(__nv_bfloat16*, ...)"
                                               : "this rung lacks attention(__nv_bfloat16*, ...)");
    return function(arguments.get<Bf16>("o"), arguments.get<Bf16>("q"), arguments.get<Bf16>("k"),
                    arguments.get<Bf16>("v"), get(which, "heads"), get(which, "kv_heads"),
                    get(which, "queries"), get(which, "keys"));
  }
};

}  // namespace

LADDER_LESSON(HopperAttention)
