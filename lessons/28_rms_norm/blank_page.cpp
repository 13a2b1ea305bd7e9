// Reference, cases and work of the blank page: the norm and the rotation of queries and keys.
#include "blank_page.h"

#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

#include "grader/lesson/giant.h"
#include "grader/lesson/lesson.h"
#include "grader/lesson/parallel.h"
#include "judge/rows.h"

namespace {

using ladder::Case;
using Bf16 = __nv_bfloat16;

constexpr std::int64_t kChunk = 65536;  // of a parallel_for: a token each, or more

/// A sum of 512 squares is off by 2^-15 at most, and usually by less than 2^-20; normalised elements are a
/// few units large, and two products of them may cancel.
constexpr ladder::Tolerance kTolerance = {.absolute = 0x1p-12, .relative = kRounding};

Case heads_of(std::int64_t tokens, std::int64_t heads, std::int64_t dim, std::int64_t positions,
              const char* variant = kMixed, Case::Use use = Case::Use::check) {
  return {{{"tokens", tokens}, {"heads", heads}, {"dim", dim}, {"positions", positions}}, variant, use};
}

class QkNormRope : public ladder::Lesson, public ladder::Giant {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    std::vector<Case> cases;
    constexpr std::int64_t kShapes[][4] = {
        {0, 4, 64, 8},    {3, 0, 64, 8},    {1, 1, 16, 2},  {2, 3, 32, 5},     {5, 1, 64, 7},
        {4, 8, 128, 300}, {1, 2, 512, 3},   {2, 33, 16, 4}, {9, 4, 128, 1000}, {3, 40, 128, 64},
        {2, 65, 64, 50},  {17, 6, 256, 90}, {300, 1, 16, 4}};
    for (const auto& [tokens, heads, dim, positions] : kShapes)
      cases.push_back(heads_of(tokens, heads, dim, positions));
    for (const char* variant : {"zeros", "small", "one huge element"})
      for (const std::int64_t dim : {16, 128, 512}) cases.push_back(heads_of(3, 5, dim, 30, variant));
    if (device == ladder::DeviceKind::gpu) {
      cases.push_back(heads_of(70'001, 8, 64, 4096));
      cases.push_back(heads_of(1021, 40, 128, 131'072));
      cases.push_back(heads_of(16'384, 64, 128, 8'192, kMixed, Case::Use::time));
    } else {
      cases.push_back(heads_of(512, 64, 128, 256, kMixed, Case::Use::time));
    }
    return cases;
  }

  bool valid(const Case& which) const override {
    const std::int64_t dim = which["dim"];
    return dim >= 16 && dim <= 512 && (dim & (dim - 1)) == 0 && which["positions"] >= 2;
  }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const Case& which = problem.which();
    const std::int64_t tokens = which["tokens"], heads = which["heads"], dim = which["dim"];
    const std::int64_t positions = which["positions"];
    const auto x = problem.input<Bf16>("x", {tokens, heads, dim});
    random.uniform(x, __float2bfloat16(-4.0f), __float2bfloat16(4.0f));
    if (which.variant != kMixed)
      for (std::int64_t head = 0; head < tokens * heads; ++head)
        ::adapt(x.subspan(head * dim, dim), which.variant, random);
    fill_weights(problem.input<Bf16>("weight", {dim}), random);
    fill_positions(problem.input<int>("position", {tokens}), positions, random);
    fill_table(problem.input<float>("table", {positions, dim}), positions, dim);
    problem.output<Bf16>("out", {tokens, heads, dim});
  }

  void reference(ladder::Problem& problem) const override {
    const std::int64_t heads = problem.which()["heads"], dim = problem.which()["dim"];
    const auto x = problem.read<Bf16>("x"), weight = problem.read<Bf16>("weight");
    const auto position = problem.read<int>("position");
    const auto table = problem.read<float>("table");
    const auto out = problem.expect("out", kTolerance);
    ladder::parallel_for(problem.which()["tokens"] * kChunk, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t token = begin / kChunk; token * kChunk < end; ++token)
        for (std::int64_t head = token * heads; head < (token + 1) * heads; ++head) {
          const auto from = x.subspan(head * dim, dim);
          const double factor = 1 / std::sqrt(square_mean(from) + kEpsilon);
          for (std::int64_t i = 0; i < dim; ++i)
            out[head * dim + i] =
                turned(i, dim, table.subspan(position[token] * dim, dim), [&](std::int64_t k) {
                  return __bfloat162float(from[k]) * factor * __bfloat162float(weight[k]);
                });
        }
    });
  }

  std::vector<Case> giant_cases() const override {
    return {heads_of(70'001, 1, 16, 8), heads_of(5'000'011, 7, 128, 8), heads_of(1'000'003, 65, 64, 8)};
  }

  void outline(ladder::Problem& problem) const override {
    const Case& which = problem.which();
    const std::int64_t tokens = which["tokens"], heads = which["heads"], dim = which["dim"];
    problem.input<Bf16>("x", {tokens, heads, dim});
    problem.input<Bf16>("weight", {dim});
    problem.input<int>("position", {tokens});
    problem.input<float>("table", {which["positions"], dim});
    problem.output<Bf16>("out", {tokens, heads, dim});
  }

  /// A position is a row of the table. Every giant case has eight, no more than a page of memory holds: what
  /// blocks read is found out with positions that are all 0.
  double adapt(std::string_view input, double drawn) const override {
    return input == "position" ? std::fmod(std::abs(drawn), 8) : drawn;
  }

  double element(const Case& which, std::string_view, std::int64_t i, const Input& in) const override {
    const std::int64_t dim = which["dim"], half = dim / 2, start = i / dim * dim;
    const std::int64_t angles = static_cast<std::int64_t>(in("position", i / dim / which["heads"])) * dim;
    double sum = 0;
    for (std::int64_t k = 0; k < dim; ++k) sum += in("x", start + k) * in("x", start + k);
    const double factor = 1 / std::sqrt(sum / static_cast<double>(dim) + kEpsilon);
    const auto at = [&](std::int64_t k) { return in("x", start + k) * factor * in("weight", k); };
    const std::int64_t place = i % dim, pair = place % half;
    const double c = in("table", angles + pair), s = in("table", angles + half + pair);
    return place < half ? at(place) * c - at(place + half) * s : at(place) * c + at(place - half) * s;
  }

  ladder::Tolerance tolerance(const Case&) const override { return kTolerance; }

  ladder::Work work(const Case& which) const override {
    const double tokens = static_cast<double>(which["tokens"]), dim = static_cast<double>(which["dim"]);
    const double n = tokens * static_cast<double>(which["heads"]) * dim;
    return {
        .bytes_read = n * sizeof(Bf16) + tokens * (dim * sizeof(float) + sizeof(int)) + dim * sizeof(Bf16),
        .bytes_written = n * sizeof(Bf16),
        .flops = 7 * n};
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    return qk_norm_rope(arguments.get<Bf16>("out"), arguments.get<Bf16>("x"), arguments.get<Bf16>("weight"),
                        arguments.get<int>("position"), arguments.get<float>("table"), kEpsilon,
                        static_cast<int>(which["tokens"]), static_cast<int>(which["heads"]),
                        static_cast<int>(which["dim"]));
  }
};

}  // namespace

LADDER_LESSON(QkNormRope)
