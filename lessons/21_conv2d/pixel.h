// Reading a plane that is surrounded by zeros.
#pragma once

#include <cstddef>

/// Element (row, col) of a plane, or 0 where that lies outside of it.
__device__ inline float pixel(const float* plane, int row, int col, int rows, int cols) {
  const bool inside = row >= 0 && row < rows && col >= 0 && col < cols;
  return inside ? plane[static_cast<std::size_t>(row) * cols + col] : 0.0f;
}
