// What the references of this lesson share: heads of queries and of keys, on lesson 31's attention in double.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "grader/lesson/lesson.h"
#include "lessons/31_flash_attention/judge/attend.h"

using Bf16 = __nv_bfloat16;

/// Of a case.
struct Extents {
  std::int64_t heads, kv_heads, queries, keys;
};

inline ladder::Case case_of(std::string variant, const Extents& of,
                            ladder::Case::Use use = ladder::Case::Use::check) {
  return {{{"heads", of.heads}, {"kv_heads", of.kv_heads}, {"queries", of.queries}, {"keys", of.keys}},
          std::move(variant),
          use};
}

inline Extents extents_of(const ladder::Case& which) {
  return {which["heads"], which["kv_heads"], which["queries"], which["keys"]};
}

inline int get(const ladder::Case& which, const char* name) { return static_cast<int>(which[name]); }

/// Whether as many heads of queries share each head of keys.
inline bool heads_divide(const ladder::Case& which) {
  return which["kv_heads"] > 0 && which["heads"] % which["kv_heads"] == 0;
}

/// What comes behind the function's name and a comma: what is special about the case.
inline std::string_view kind_of(const ladder::Case& which) {
  const std::string_view variant = which.variant;
  const std::size_t comma = variant.find(", ");
  return comma == std::string_view::npos ? kMixed : variant.substr(comma + 2);
}

/// Inputs q, k, v and output o.
inline void declare_heads(ladder::Problem& problem, ladder::Random& random) {
  const Extents of = extents_of(problem.which());
  const auto q = problem.input<Bf16>("q", {of.heads, of.queries, kDim});
  const auto k = problem.input<Bf16>("k", {of.kv_heads, of.keys, kDim});
  const auto v = problem.input<Bf16>("v", {of.kv_heads, of.keys, kDim});
  fill(q, k, kDim, of.keys, kind_of(problem.which()), random);
  random.uniform(v, __float2bfloat16(-1.0f), __float2bfloat16(1.0f));
  problem.output<Bf16>("o", {of.heads, of.queries, kDim});
}

/// The expected o.
/// @param visible  of a query: how many keys, from the first on, it sees
template <class Visible>
void attend_heads(ladder::Problem& problem, const Visible& visible) {
  const Extents of = extents_of(problem.which());
  const auto q = problem.read<Bf16>("q"), k = problem.read<Bf16>("k"), v = problem.read<Bf16>("v");
  const auto o = problem.expect("o", kTolerance);
  const std::int64_t rows = of.queries * kDim, kv_rows = of.keys * kDim;
  for (std::int64_t head = 0; head < of.heads; ++head) {
    const std::int64_t kv = head / (of.heads / of.kv_heads);
    attend(o.subspan(head * rows, rows), q.subspan(head * rows, rows), k.subspan(kv * kv_rows, kv_rows),
           v.subspan(kv * kv_rows, kv_rows), kDim, visible);
  }
}

/// @param seen  keys that a query sees on average
inline ladder::Work work_of(const ladder::Case& which, double seen) {
  const Extents of = extents_of(which);
  const auto rows = static_cast<double>(of.heads * of.queries);
  const auto kv_rows = static_cast<double>(of.kv_heads * of.keys);
  constexpr double kRow = kDim * sizeof(Bf16);
  return {.bytes_read = (rows + 2 * kv_rows) * kRow,
          .bytes_written = rows * kRow,
          .flops = 4 * rows * seen * kDim,
          .unit = ladder::Unit::warpgroup};
}
