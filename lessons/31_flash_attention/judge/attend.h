// What the references of this lesson share: products in double, and softmax.
#pragma once

#include <cuda_bf16.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "grader/lesson/lesson.h"
#include "grader/lesson/parallel.h"

/// Rows that are computed together, so that what is read serves all of them.
inline constexpr std::int64_t kRowsAtOnce = 8;

/// c[i][j] += sum over l of a[i][l] * b[l][j], for a few rows.
/// @param c  double [rows][n], from a row to the next n elements
inline void add_rows(double* c, const double* a, const float* b, std::int64_t rows, std::int64_t n,
                     std::int64_t depth) {
  constexpr std::int64_t kStrip = 128;  // columns at a time: they stay in the CPU's first cache
  for (std::int64_t col0 = 0; col0 < n; col0 += kStrip) {
    const std::int64_t end = std::min(col0 + kStrip, n);
    for (std::int64_t l = 0; l < depth; l += 4)
      for (std::int64_t row = 0; row < rows; ++row) {
        const double* const factor = a + row * depth + l;
        double* const sum = c + row * n;
        const float* const other = b + l * n;
        if (l + 4 <= depth) {
          const double f0 = factor[0], f1 = factor[1], f2 = factor[2], f3 = factor[3];
          for (std::int64_t j = col0; j < end; ++j)
            sum[j] += f0 * other[j] + f1 * other[n + j] + f2 * other[2 * n + j] + f3 * other[3 * n + j];
        } else {
          for (std::int64_t i = 0; i < depth - l; ++i)
            for (std::int64_t j = col0; j < end; ++j) sum[j] += factor[i] * other[i * n + j];
        }
      }
  }
}

/// The elements of a matrix [rows][cols], or of its transpose.
inline std::vector<float> as_floats(std::span<const __nv_bfloat16> matrix) {
  std::vector<float> floats(matrix.size());
  for (std::size_t i = 0; i < matrix.size(); ++i) floats[i] = __bfloat162float(matrix[i]);
  return floats;
}

inline std::vector<float> as_floats_transposed(std::span<const __nv_bfloat16> matrix, std::int64_t rows,
                                               std::int64_t cols) {
  std::vector<float> floats(matrix.size());
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t col = 0; col < cols; ++col)
      floats[col * rows + row] = __bfloat162float(matrix[row * cols + col]);
  return floats;
}

/// Calls body(first row, rows, scores) for all rows of q, a few at a time, on all cores; scores are q times
/// the transpose of k, times @p scale.
template <class Body>
void for_scores(std::span<const __nv_bfloat16> q, std::span<const __nv_bfloat16> k, std::int64_t dim,
                double scale, const Body& body) {
  constexpr std::int64_t kChunk = 65536;  // of a parallel_for: a group of rows each, or more
  const auto rows = static_cast<std::int64_t>(q.size()) / dim;
  const auto keys = static_cast<std::int64_t>(k.size()) / dim;
  const std::vector<float> across = as_floats_transposed(k, keys, dim);
  const std::int64_t groups = (rows + kRowsAtOnce - 1) / kRowsAtOnce;
  ladder::parallel_for(groups * kChunk, [&](std::int64_t begin, std::int64_t end) {
    std::vector<double> scaled(kRowsAtOnce * dim), scores(kRowsAtOnce * keys);
    for (std::int64_t group = begin / kChunk; group * kChunk < end; ++group) {
      const std::int64_t first = group * kRowsAtOnce, count = std::min(kRowsAtOnce, rows - first);
      for (std::int64_t i = 0; i < count * dim; ++i) scaled[i] = scale * __bfloat162float(q[first * dim + i]);
      std::fill(scores.begin(), scores.end(), 0.0);
      add_rows(scores.data(), scaled.data(), across.data(), count, keys, dim);
      body(first, count, scores.data());
    }
  });
}

/// Attention of one head.
/// @param      visible  of a row: how many keys, from the first on, it sees
/// @param[out] o        of q's size, zeroed
template <class Visible>
void attend(std::span<double> o, std::span<const __nv_bfloat16> q, std::span<const __nv_bfloat16> k,
            std::span<const __nv_bfloat16> v, std::int64_t dim, const Visible& visible) {
  const auto keys = static_cast<std::int64_t>(k.size()) / dim;
  const std::vector<float> values = as_floats(v);
  const double scale = 1 / std::sqrt(static_cast<double>(dim));
  for_scores(q, k, dim, scale, [&](std::int64_t first, std::int64_t rows, double* scores) {
    for (std::int64_t row = 0; row < rows; ++row) {
      double* const score = scores + row * keys;
      const std::int64_t seen = visible(first + row);
      const double most = seen > 0 ? *std::max_element(score, score + seen) : 0;
      double sum = 0;
      for (std::int64_t j = 0; j < seen; ++j) sum += score[j] = std::exp(score[j] - most);
      for (std::int64_t j = 0; j < keys; ++j) score[j] = j < seen ? score[j] / sum : 0;
    }
    add_rows(o.data() + first * dim, scores, values.data(), rows, dim, keys);
  });
}

/// Weights are rounded to bf16, which takes up to 2^-8 of each; a result that is their mean of values up to 1
/// is then off by 2^-8 at most, where all are off to the same side, and rounding the result takes another
/// 2^-8 of it. An eighth more is for scores in single precision, of up to some hundred.
inline constexpr ladder::Tolerance kTolerance = {.absolute = 0x1.2p-8, .relative = 0x1.2p-8};

/// A variant's name, which a verdict tells.
inline constexpr const char* kMixed = "mixed";

/// Fills queries and keys, so that scores are what @p kind says.
/// @param rows  keys of a head
inline void fill(std::span<__nv_bfloat16> q, std::span<__nv_bfloat16> k, std::int64_t dim, std::int64_t rows,
                 std::string_view kind, ladder::Random& random) {
  const float most = kind == "large" ? 20.0f : 2.0f;  // products of 128 numbers up to 20, scaled: hundreds
  random.uniform(q, __float2bfloat16(-most), __float2bfloat16(most));
  random.uniform(k, __float2bfloat16(-most), __float2bfloat16(most));
  if (kind == kMixed || kind == "large") return;
  // All keys have one direction, and queries are near it: a key's score is its factor, times 11 or 8.
  for (std::size_t i = 0; i < q.size(); ++i) q[i] = __float2bfloat16(1 + __bfloat162float(q[i]) / 64);
  for (std::size_t i = 0; i < k.size(); ++i) {
    const auto place =
        static_cast<float>(static_cast<std::int64_t>(i) / dim % rows) / static_cast<float>(rows);
    const float noise = __bfloat162float(k[i]) / 64;
    k[i] = __float2bfloat16(kind == "rising"    ? 5 * place + noise
                            : kind == "falling" ? 5 - 5 * place + noise
                            : kind == "equal"   ? 1.0f
                                                : noise - 16);  // far below 0
  }
}
