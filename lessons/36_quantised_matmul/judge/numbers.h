// Inputs of this lesson's references, and their values.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp8.h>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "grader/lesson/lesson.h"

/// Between 1/2 and 1, of either sign: no product is so small that leaving it out would pass unseen.
inline float away_from_zero(float drawn) { return drawn / 2 + (drawn < 0 ? -0.5f : 0.5f); }

inline float from_e4m3(unsigned char bits) {
  static const std::array<float, 256> kNumbers = [] {
    std::array<float, 256> all{};
    for (int i = 0; i < 256; ++i)
      all[i] = __half2float(__half(__nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(i), __NV_E4M3)));
    return all;
  }();
  return kNumbers[bits];
}

inline unsigned char to_e4m3(float value) { return __nv_cvt_float_to_fp8(value, __NV_SATFINITE, __NV_E4M3); }

/// The elements of a matrix as floats, each by @p value.
template <class T, class Value>
std::vector<float> as_floats(std::span<const T> matrix, const Value& value) {
  std::vector<float> floats(matrix.size());
  for (std::size_t i = 0; i < matrix.size(); ++i) floats[i] = value(matrix[i]);
  return floats;
}

/// Those of its transpose, [cols][rows].
template <class T, class Value>
std::vector<float> as_floats_transposed(std::span<const T> matrix, std::int64_t rows, std::int64_t cols,
                                        const Value& value) {
  std::vector<float> floats(matrix.size());
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t col = 0; col < cols; ++col) floats[col * rows + row] = value(matrix[row * cols + col]);
  return floats;
}
