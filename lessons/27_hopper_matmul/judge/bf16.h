// What the references of this lesson share.
#pragma once

#include <cuda_bf16.h>

#include <span>
#include <vector>

#include "grader/lesson/lesson.h"

/// Between 1/2 and 1, of either sign: no product is so small that leaving it out would pass unseen.
inline void fill(std::span<__nv_bfloat16> matrix, ladder::Random& random) {
  random.uniform(matrix, __float2bfloat16(-0.5f), __float2bfloat16(0.5f));
  for (__nv_bfloat16& value : matrix) {
    const float drawn = __bfloat162float(value);
    value = __float2bfloat16(drawn + (drawn < 0 ? -0.5f : 0.5f));
  }
}

/// The elements of a matrix [rows][cols], row-major.
inline std::vector<float> as_floats(std::span<const __nv_bfloat16> matrix) {
  std::vector<float> floats(matrix.size());
  for (std::size_t i = 0; i < matrix.size(); ++i) floats[i] = __bfloat162float(matrix[i]);
  return floats;
}

/// Those of its transpose, [cols][rows].
inline std::vector<float> as_floats_transposed(std::span<const __nv_bfloat16> matrix, std::int64_t rows,
                                               std::int64_t cols) {
  std::vector<float> floats(matrix.size());
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t col = 0; col < cols; ++col)
      floats[col * rows + row] = __bfloat162float(matrix[row * cols + col]);
  return floats;
}

/// Products of two bf16 are exact in a float. A Tensor Core cuts off what does not fit, rather than round:
/// each step of 16 loses up to 2^-23 of a sum that is about sqrt(products), always with the same sign.
/// Rounding the sum to bf16, once, is another 2^-8 of it. Sums kept in bf16 would be off by a hundred times
/// as much.
inline ladder::Tolerance tolerance_of_sums(std::int64_t products) {
  return {.absolute = static_cast<double>(products) * 0x1p-19, .relative = 0x1p-8};
}
