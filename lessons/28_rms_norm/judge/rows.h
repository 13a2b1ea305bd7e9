// What the references of this lesson share.
#pragma once

#include <cuda_bf16.h>

#include <cmath>
#include <cstdint>
#include <span>
#include <string_view>

#include "grader/lesson/lesson.h"

/// Rounding to bf16, whose significand has 8 bits, is off by half a unit in the last place: up to 2^-8. The
/// sixteenth more is for a row's sum: 16384 squares that one thread adds up are off by 16384 / 2 * 2^-24 at
/// most, and the root of that by half as much, 2^-12. Who rounds to bf16 a second time, or adds up in bf16,
/// is off by more.
inline constexpr double kRounding = 0x1.1p-8;

constexpr float kEpsilon = 1e-5f;

/// A variant's name, which a verdict tells.
inline constexpr const char* kMixed = "mixed";

inline double square_mean(std::span<const __nv_bfloat16> row) {
  double sum = 0;
  for (const __nv_bfloat16 value : row) {
    const double x = __bfloat162float(value);
    sum += x * x;
  }
  return sum / static_cast<double>(row.size());
}

/// Fills one row as its variant says; `row` has numbers from -4 to 4.
inline void adapt(std::span<__nv_bfloat16> row, std::string_view variant, ladder::Random& random) {
  const auto scale_by = [&](float factor) {
    for (__nv_bfloat16& value : row) value = __float2bfloat16(__bfloat162float(value) * factor);
  };
  if (variant == "zeros") {
    for (__nv_bfloat16& value : row) value = __float2bfloat16(0.0f);
  } else if (variant == "small") {
    scale_by(0x1p-9f);  // the mean of the squares is about as large as epsilon
  } else if (variant == "tiny") {
    scale_by(0x1p-67f);  // the squares are subnormal floats, and what counts is epsilon
  } else if (variant == "one huge element") {
    row[random.next() % 2 == 0 ? row.size() - 1 : random.next() % row.size()] = __float2bfloat16(0x1.8p47f);
  } else if (variant == "equal") {
    for (__nv_bfloat16& value : row) value = row[0];
  } else if (variant == "large mean") {
    // A base and, in one place of eight, the next bf16: 128 more. Squares are 2^17 times the variance.
    const float base = 16384.0f + 128.0f * static_cast<float>(random.next() % 64);
    for (__nv_bfloat16& value : row) value = __float2bfloat16(random.next() % 8 == 0 ? base + 128.0f : base);
    row[0] = __float2bfloat16(base);
    row[row.size() - 1] = __float2bfloat16(base + 128.0f);
  }
}

/// Rows of the table. The first one turns nothing: where there are few tokens it is left out, since whatever
/// else is wrong with a token would not show.
inline void fill_positions(std::span<int> position, std::int64_t positions, ladder::Random& random) {
  random.uniform(position, position.size() < 32 ? 1 : 0, static_cast<int>(positions - 1));
}

/// Weights from 1/2 to 3/2: none is so small that leaving it out would pass unseen.
inline void fill_weights(std::span<__nv_bfloat16> weight, ladder::Random& random) {
  random.uniform(weight, __float2bfloat16(0.5f), __float2bfloat16(1.5f));
}

/// Cosines, and behind them sines, of p * 10000^(-2i / dim) in row p.
inline void fill_table(std::span<float> table, std::int64_t positions, std::int64_t dim) {
  for (std::int64_t i = 0; i < dim / 2; ++i) {
    const double turn = std::pow(1e4, -2.0 * static_cast<double>(i) / static_cast<double>(dim));
    for (std::int64_t p = 0; p < positions; ++p) {
      const double angle = static_cast<double>(p) * turn;
      table[p * dim + i] = static_cast<float>(std::cos(angle));
      table[p * dim + dim / 2 + i] = static_cast<float>(std::sin(angle));
    }
  }
}

/// Element @p i of a head that is turned by row @p angles of the table.
/// @param at  gives an element of the head
template <class At>
double turned(std::int64_t i, std::int64_t dim, std::span<const float> angles, const At& at) {
  const std::int64_t half = dim / 2, pair = i % half;
  const double c = angles[pair], s = angles[half + pair];
  return i < half ? at(i) * c - at(i + half) * s : at(i) * c + at(i - half) * s;
}
