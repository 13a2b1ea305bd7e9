// What the references of this lesson share: where the entries of a sparse matrix are.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "grader/lesson/lesson.h"

struct Pattern {
  std::vector<int> row_start;  ///< [rows + 1]
  std::vector<int> columns;    ///< ascending within a row
};

/// A number from 0 to 1, without 1.
inline double fraction(ladder::Random& random) { return static_cast<double>(random.next() >> 11) * 0x1p-53; }

/// How long rows are, relative to each other.
inline std::vector<double> row_weights(std::string_view kind, std::int64_t rows, ladder::Random& random) {
  std::vector<double> weights(rows, 1);
  if (rows == 0) return weights;
  if (kind == "uniform") {
    for (double& weight : weights) weight = 0.5 + 0.9 * fraction(random);
  } else if (kind == "power law") {
    // Zipf's law: the k-th longest has a k-th of the entries of the longest. That one is held to a hundredth
    // of all entries, about, where there are very many rows. Every eighth is empty.
    const double offset = 1 + static_cast<double>(rows) / 1e5;
    for (std::int64_t row = 1; row < rows - 1; ++row) {
      weights[row] = row % 8 == 0 ? 0 : 1 / (static_cast<double>(row - 1) + offset);
    }
    for (std::int64_t row = rows - 2; row > 1; --row)
      std::swap(weights[row], weights[1 + random.next() % static_cast<std::uint64_t>(row)]);
    weights.front() = weights.back() = 0;
  } else if (kind == "one row") {
    std::fill(weights.begin(), weights.end(), 0.0);
    weights[random.next() % static_cast<std::uint64_t>(rows)] = 1;
  } else if (kind == "holes") {
    // Stretches of up to 64 empty rows, more than a warp has lanes, at both ends as well.
    std::int64_t left = 0;
    for (std::int64_t row = 0; row < rows; ++row) {
      if (left == 0) left = 1 + static_cast<std::int64_t>(random.next() % 64);
      if (--left > 0 || row == rows - 1) weights[row] = 0;
    }
  }
  return weights;
}

/// Draws a matrix of exactly @p entries entries.
/// @param kind  "banded", "uniform", "power law", "one row" or "holes"
inline Pattern draw_pattern(std::string_view kind, std::int64_t rows, std::int64_t cols, std::int64_t entries,
                            ladder::Random& random) {
  std::vector<double> weights = row_weights(kind, rows, random);
  double all = 0, so_far = 0;
  for (const double weight : weights) all += weight;
  if (all == 0) std::fill(weights.begin(), weights.end(), 1), all = static_cast<double>(rows);
  Pattern pattern;
  pattern.row_start.push_back(0);
  for (const double weight : weights) {
    so_far += weight;
    const double part = static_cast<double>(entries) * (so_far / all);
    pattern.row_start.push_back(static_cast<int>(std::min(part + 1e-6, static_cast<double>(entries))));
  }
  // Sums may have rounded the last one that has a weight below the end; empty ones behind it stay empty.
  for (std::int64_t row = rows; row > 0; --row) {
    pattern.row_start[row] = static_cast<int>(entries);
    if (weights[row - 1] > 0) break;
  }
  pattern.columns.resize(entries);
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t begin = pattern.row_start[row], length = pattern.row_start[row + 1] - begin;
    const std::int64_t middle = row * cols / rows;
    const std::int64_t left =
        std::clamp<std::int64_t>(middle - length / 2, 0, std::max<std::int64_t>(cols - length, 0));
    for (std::int64_t j = 0; j < length; ++j) {
      // One in each of as many parts of the row as it has entries.
      double place = (static_cast<double>(j) + fraction(random)) / static_cast<double>(length);
      if (kind == "power law") place *= place;  // columns on the left are drawn more often
      const auto column =
          kind == "banded" ? left + j : static_cast<std::int64_t>(place * static_cast<double>(cols));
      pattern.columns[begin + j] = static_cast<int>(std::min(column, cols - 1));
    }
  }
  return pattern;
}
