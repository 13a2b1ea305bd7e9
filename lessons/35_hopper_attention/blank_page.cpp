// Reference, cases and work of the blank page.
#include "blank_page.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "grader/lesson/lesson.h"
#include "judge/heads.h"

namespace {

using ladder::Case;

Case windowed(const Extents& of, std::int64_t window, std::string kind = kMixed,
              Case::Use use = Case::Use::check) {
  Case made = case_of("windowed_attention, " + kind, of, use);
  made.extents.push_back({"window", window});
  return made;
}

class WindowedAttention : public ladder::Lesson {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    // Windows of one key, within a tile, across tiles, longer than all keys; more queries than keys.
    std::vector<Case> cases = {
        windowed({0, 1, 5, 5}, 3),       windowed({2, 2, 0, 7}, 3),     windowed({2, 1, 5, 0}, 3),
        windowed({1, 1, 1, 1}, 1),       windowed({3, 1, 17, 2}, 4),    windowed({2, 2, 16, 40}, 1),
        windowed({1, 1, 63, 65}, 64),    windowed({2, 1, 90, 300}, 20), windowed({1, 1, 129, 129}, 128),
        windowed({4, 2, 33, 260}, 129),  windowed({2, 2, 200, 70}, 30), windowed({1, 1, 70, 650}, 300),
        windowed({1, 1, 40, 200}, 1000), windowed({1, 1, 1, 280}, 160), windowed({1, 1, 2, 1300}, 20)};
    for (const char* kind : {"rising", "falling", "far below 0", "large", "equal"})
      cases.push_back(windowed({2, 2, 40, 300}, 150, kind));
    if (device == ladder::DeviceKind::gpu) {
      cases.push_back(windowed({3, 3, 1021, 1019}, 333));
      cases.push_back(windowed({32, 32, 8192, 8192}, 1024, kMixed, Case::Use::time));
    } else {
      cases.push_back(windowed({2, 1, 512, 1024}, 128, kMixed, Case::Use::time));
    }
    return cases;
  }

  bool valid(const Case& which) const override { return heads_divide(which) && which["window"] >= 1; }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    declare_heads(problem, random);
    const auto sink = problem.input<float>("sink", {problem.which()["heads"]});
    // Scores are some units around 0, some hundreds, or -150 and so on: of the same size, and some that take
    // all.
    const bool low = kind_of(problem.which()) == "far below 0";
    random.uniform(sink, low ? -190.0f : -2.0f, low ? -170.0f : 8.0f);
    if (sink.size() > 2) sink[2] = 500;
  }

  void reference(ladder::Problem& problem) const override {
    const Extents of = extents_of(problem.which());
    const std::int64_t window = problem.which()["window"];
    const auto q = problem.read<Bf16>("q"), k = problem.read<Bf16>("k"), v = problem.read<Bf16>("v");
    const auto sink = problem.read<float>("sink");
    const auto o = problem.expect("o", kTolerance);
    const std::int64_t rows = of.queries * kDim, kv_rows = of.keys * kDim;
    for (std::int64_t head = 0; head < of.heads; ++head) {
      const std::int64_t kv = head / (of.heads / of.kv_heads);
      const std::vector<float> values = as_floats(v.subspan(kv * kv_rows, kv_rows));
      double* const out = o.data() + head * rows;
      for_scores(q.subspan(head * rows, rows), k.subspan(kv * kv_rows, kv_rows), kDim,
                 1 / std::sqrt(double{kDim}), [&](std::int64_t first, std::int64_t count, double* scores) {
                   for (std::int64_t row = 0; row < count; ++row) {
                     double* const score = scores + row * of.keys;
                     const std::int64_t place = first + row + of.keys - of.queries;
                     const std::int64_t begin = std::max<std::int64_t>(0, place - window + 1);
                     const std::int64_t end = std::max(begin, place + 1);
                     double most = sink[head];
                     for (std::int64_t j = begin; j < end; ++j) most = std::max(most, score[j]);
                     double sum = std::exp(sink[head] - most);
                     for (std::int64_t j = begin; j < end; ++j) sum += std::exp(score[j] - most);
                     for (std::int64_t j = 0; j < of.keys; ++j)
                       score[j] = j >= begin && j < end ? std::exp(score[j] - most) / sum : 0;
                   }
                   add_rows(out + first * kDim, scores, values.data(), count, kDim, of.keys);
                 });
    }
  }

  ladder::Work work(const Case& which) const override {
    // Queries at the beginning of their sequence see less than a window.
    const double keys = static_cast<double>(which["keys"]), queries = static_cast<double>(which["queries"]);
    const double window = std::min(static_cast<double>(which["window"]), keys), before = keys - queries;
    const double short_of = std::max(0.0, window - before);  // of queries, whose windows are not full
    return work_of(which, queries > 0 ? window - std::min(short_of, queries) * short_of / 2 / queries : 0);
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    return windowed_attention(arguments.get<Bf16>("o"), arguments.get<Bf16>("q"), arguments.get<Bf16>("k"),
                              arguments.get<Bf16>("v"), arguments.get<float>("sink"), get(which, "heads"),
                              get(which, "kv_heads"), get(which, "queries"), get(which, "keys"),
                              get(which, "window"));
  }
};

}  // namespace

LADDER_LESSON(WindowedAttention)
