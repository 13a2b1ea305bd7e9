// Reference, cases and work of the lesson; the rungs are the .cu files beside this one.
#include "flash_attention.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grader/lesson/lesson.h"
#include "grader/lesson/scratch.h"
#include "judge/attend.h"

// A rung defines one of the three; the addresses of the others are null.
cudaError_t attention(__nv_bfloat16*, float*, const __nv_bfloat16*, const __nv_bfloat16*,
                      const __nv_bfloat16*, int, int, int) __attribute__((weak));
cudaError_t causal_attention(__nv_bfloat16*, const __nv_bfloat16*, const __nv_bfloat16*, const __nv_bfloat16*,
                             int, int, int) __attribute__((weak));
cudaError_t grouped_attention(__nv_bfloat16*, const __nv_bfloat16*, const __nv_bfloat16*,
                              const __nv_bfloat16*, const int*, int, int, int, int, int, int, bool)
    __attribute__((weak));

namespace {

using ladder::Case;
using Bf16 = __nv_bfloat16;

// What a case's variant begins with: the function; of the third, both modes.
constexpr const char* kFull = "attention";
constexpr const char* kCausal = "causal_attention";
constexpr const char* kGrouped = "grouped_attention";
constexpr const char* kGroupedCausal = "grouped_attention (causal)";

bool is(const Case& which, const char* function) { return which.variant.starts_with(function); }
bool is_causal(const Case& which) { return is(which, kCausal) || is(which, kGroupedCausal); }

/// What comes behind the function's name and a comma: what is special about the case.
std::string_view kind_of(const Case& which) {
  const std::string_view variant = which.variant;
  const std::size_t comma = variant.find(", ");
  return comma == std::string_view::npos ? kMixed : variant.substr(comma + 2);
}

Case heads_of(std::string variant, std::int64_t heads, std::int64_t queries, std::int64_t keys,
              Case::Use use = Case::Use::check) {
  return {{{"heads", heads}, {"queries", queries}, {"keys", keys}}, std::move(variant), use};
}

/// batch, heads, kv_heads, queries, keys, dim
struct Extents {
  std::int64_t batch, heads, kv_heads, queries, keys, dim;
};

Case batch_of(std::string variant, const Extents& of, Case::Use use = Case::Use::check) {
  return {{{"batch", of.batch},
           {"heads", of.heads},
           {"kv_heads", of.kv_heads},
           {"queries", of.queries},
           {"keys", of.keys},
           {"dim", of.dim}},
          std::move(variant),
          use};
}

/// The extents of any case.
Extents extents_of(const Case& which) {
  if (!is(which, kGrouped)) return {1, which["heads"], which["heads"], which["queries"], which["keys"], kDim};
  return {which["batch"], which["heads"], which["kv_heads"], which["queries"], which["keys"], which["dim"]};
}

int get(const Case& which, const char* name) { return static_cast<int>(which[name]); }

class FlashAttention : public ladder::Lesson {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    std::vector<Case> cases;
    // Around a fragment, a tile of keys and one of queries; more queries than keys, of which causal ones see
    // none; one query; nobody to look at; nobody who looks.
    constexpr std::int64_t kShapes[][3] = {
        {0, 5, 5},    {2, 0, 7},    {2, 5, 0},    {1, 1, 1},     {3, 17, 2},    {1, 1, 33},   {2, 16, 16},
        {1, 63, 65},  {2, 90, 200}, {1, 128, 64}, {1, 65, 127},  {1, 129, 128}, {1, 33, 260}, {5, 30, 9},
        {1, 200, 70}, {1, 130, 1},  {2, 64, 192}, {1, 129, 129}, {1, 128, 129}};
    for (const char* function : {kFull, kCausal}) {
      for (const auto& [heads, queries, keys] : kShapes)
        cases.push_back(heads_of(function, heads, queries, keys));
      for (const char* kind : {", rising", ", falling", ", far below 0", ", large", ", equal"})
        for (const auto& [queries, keys] : {std::pair{20, 70}, {40, 200}})
          cases.push_back(heads_of(function + std::string(kind), 2, queries, keys));
      if (device == ladder::DeviceKind::gpu) {
        cases.push_back(heads_of(function, 3, 1021, 1019));
        cases.push_back(heads_of(function, 70, 129, 257));
        cases.push_back(heads_of(function, 1, 5000, 77));
        cases.push_back(heads_of(function, 1, 77, 5000));
        cases.push_back(heads_of(function, 16, 4096, 4096, Case::Use::time));
      } else {
        cases.push_back(function == kCausal ? heads_of(function, 2, 512, 512, Case::Use::time)
                                            : heads_of(function, 4, 256, 256, Case::Use::time));
      }
    }
    constexpr Extents kBatches[] = {{3, 2, 1, 2, 9, 128},    {2, 4, 2, 3, 17, 64},   {0, 2, 1, 5, 5, 64},
                                    {2, 0, 1, 5, 5, 128},    {2, 2, 1, 0, 5, 64},    {3, 2, 2, 5, 0, 128},
                                    {3, 4, 2, 17, 70, 128},  {3, 3, 1, 66, 100, 64}, {2, 2, 2, 129, 65, 128},
                                    {2, 6, 2, 1, 260, 64},   {4, 2, 1, 40, 64, 128}, {2, 2, 1, 200, 90, 64},
                                    {1, 2, 1, 128, 129, 128}};
    for (const char* function : {kGrouped, kGroupedCausal}) {
      for (const Extents& of : kBatches) cases.push_back(batch_of(function, of));
      for (const char* kind : {", rising", ", far below 0", ", large"})
        cases.push_back(batch_of(function + std::string(kind), {2, 2, 1, 20, 130, 128}));
      // One key behind the end, in a tile that lacks no other: 0, where all scores are far below.
      cases.push_back(batch_of(function + std::string(", far below 0"), {1, 2, 1, 1, 63, 64}));
    }
    if (device == ladder::DeviceKind::gpu) {
      cases.push_back(batch_of(kGrouped, {5, 12, 3, 509, 515, 64}));
      cases.push_back(batch_of(kGroupedCausal, {5, 12, 3, 509, 515, 128}));
      cases.push_back(batch_of(kGrouped, {2, 16, 4, 4096, 4096, 128}, Case::Use::time));
    } else {
      cases.push_back(batch_of(kGrouped, {2, 2, 1, 256, 256, 128}, Case::Use::time));
    }
    return cases;
  }

  bool valid(const Case& which) const override {
    if (!is(which, kGrouped)) return true;
    const std::int64_t shared = which["kv_heads"], dim = which["dim"];
    return shared > 0 && which["heads"] % shared == 0 && (dim == 64 || dim == 128);
  }

  bool applies(const Case& which, std::string_view rung) const override {
    const auto has = [&](const char* word) { return rung.find(word) != std::string_view::npos; };
    return is(which, has("grouped") ? kGrouped : has("causal") || has("pipeline") ? kCausal : kFull);
  }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const Case& which = problem.which();
    const auto [batch, heads, kv_heads, queries, keys, dim] = extents_of(which);
    const bool grouped = is(which, kGrouped);
    const auto shape = [&](std::int64_t of, std::int64_t rows) {
      return grouped ? std::vector{batch, of, rows, dim} : std::vector{of, rows, dim};
    };
    const auto q = problem.input<Bf16>("q", shape(heads, queries));
    const auto k = problem.input<Bf16>("k", shape(kv_heads, keys));
    const auto v = problem.input<Bf16>("v", shape(kv_heads, keys));
    fill(q, k, dim, keys, kind_of(which), random);
    random.uniform(v, __float2bfloat16(-1.0f), __float2bfloat16(1.0f));
    if (grouped) {
      const auto lengths = problem.input<int>("lengths", {batch});
      const std::int64_t row = kv_heads * dim;
      for (std::int64_t b = 0; b < batch; ++b) {
        // By turns all keys, some of them, and, in the check cases, none.
        const bool all = which.use == Case::Use::time || b % 3 == 0;
        lengths[b] = static_cast<int>(all ? keys : b % 3 == 1 ? random.next() % (keys + 1) : 0);
        for (std::int64_t head = 0; head < kv_heads; ++head) {
          const std::int64_t start = b * row * keys + (head * keys + lengths[b]) * dim;
          const std::int64_t behind = (keys - lengths[b]) * dim;
          for (const auto& matrix : {k, v})
            std::fill_n(matrix.begin() + start, behind,
                        __float2bfloat16(std::numeric_limits<float>::quiet_NaN()));
        }
      }
    }
    problem.output<Bf16>("o", shape(heads, queries));
  }

  void reference(ladder::Problem& problem) const override {
    const Case& which = problem.which();
    const auto [batch, heads, kv_heads, queries, keys, dim] = extents_of(which);
    const auto q = problem.read<Bf16>("q"), k = problem.read<Bf16>("k"), v = problem.read<Bf16>("v");
    const auto o = problem.expect("o", kTolerance);
    const auto lengths = is(which, kGrouped) ? problem.read<int>("lengths") : std::span<const int>();
    for (std::int64_t head = 0; head < batch * heads; ++head) {
      const std::int64_t sequence = head / heads;
      const std::int64_t kv = sequence * kv_heads + head % heads / (heads / kv_heads);
      const std::int64_t length = lengths.empty() ? keys : lengths[sequence];
      attend(o.subspan(head * queries * dim, queries * dim), q.subspan(head * queries * dim, queries * dim),
             k.subspan(kv * keys * dim, length * dim), v.subspan(kv * keys * dim, length * dim), dim,
             [&, n = queries](std::int64_t query) {
               return is_causal(which) ? std::clamp<std::int64_t>(query + length - n + 1, 0, length) : length;
             });
    }
  }

  ladder::Work work(const Case& which) const override {
    const Extents of = extents_of(which);
    const auto rows = static_cast<double>(of.batch * of.heads * of.queries);
    const auto kv_rows = static_cast<double>(of.batch * of.kv_heads * of.keys);
    const auto row = static_cast<double>(of.dim) * sizeof(Bf16);
    // Half of the scores are those of a square's triangle.
    const double seen = static_cast<double>(of.keys) / (is_causal(which) ? 2 : 1);
    return {.bytes_read = rows * row + 2 * kv_rows * row,
            .bytes_written = rows * row,
            .flops = 4 * rows * seen * static_cast<double>(of.dim),
            .unit = ladder::Unit::tensor};
  }

  cudaError_t prepare(const Case& which, const ladder::Arguments&) override {
    scratch_ = nullptr;
    const std::int64_t scores = is(which, kFull) ? which["heads"] * which["queries"] * which["keys"] : 0;
    return scores == 0 ? cudaSuccess : ladder::allocate_scratch(&scratch_, "scratch", scores);
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    Bf16* const o = arguments.get<Bf16>("o");
    const Bf16* const q = arguments.get<Bf16>("q");
    const Bf16* const k = arguments.get<Bf16>("k");
    const Bf16* const v = arguments.get<Bf16>("v");
    const int heads = get(which, "heads"), queries = get(which, "queries"), keys = get(which, "keys");
    if (is(which, kGrouped)) {
      if (&grouped_attention == nullptr)
        throw ladder::Objection("this rung lacks grouped_attention(__nv_bfloat16*, ...)");
      return grouped_attention(o, q, k, v, arguments.get<int>("lengths"), get(which, "batch"), heads,
                               get(which, "kv_heads"), queries, keys, get(which, "dim"), is_causal(which));
    }
    if (is(which, kCausal)) {
      if (&causal_attention == nullptr)
        throw ladder::Objection("this rung lacks causal_attention(__nv_bfloat16*, ...)");
      return causal_attention(o, q, k, v, heads, queries, keys);
    }
    if (&attention == nullptr) throw ladder::Objection("this rung lacks attention(__nv_bfloat16*, ...)");
    return attention(o, scratch_, q, k, v, heads, queries, keys);
  }

  cudaError_t finish(const Case&, const ladder::Arguments&) override { return cudaFree(scratch_); }

 private:
  float* scratch_ = nullptr;
};

}  // namespace

LADDER_LESSON(FlashAttention)
