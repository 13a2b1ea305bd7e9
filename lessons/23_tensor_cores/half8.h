// Eight neighbours of a row of halves: 16 bytes, the widest access a thread has.
#pragma once

#include <cuda_fp16.h>

#include <cstddef>
#include <cstdint>

/// Whether every row of the two matrices starts at a multiple of 16 bytes, as a 16-byte access wants it.
inline bool rows_aligned(const __half* a, const __half* b, int n, int k) {
  const auto addresses = reinterpret_cast<std::uintptr_t>(a) | reinterpret_cast<std::uintptr_t>(b);
  return addresses % 16 == 0 && n % 8 == 0 && k % 8 == 0;
}

/// What a thread reads of a row-major matrix: vectors that lie below each other, from a place on that moves.
struct Half8Rows {
  const __half* place;
  int rows, cols;  // that the matrix has from the place on; none are left where this is not above 0
  int width;       // elements from one row to the next

  __device__ Half8Rows(const __half* matrix, int height, int width, int row, int col)
      : place(matrix + static_cast<std::ptrdiff_t>(row) * width + col),
        rows(height - row),
        cols(width - col),
        width(width) {}

  __device__ void move(int down, int right) {
    place += static_cast<std::ptrdiff_t>(down) * width + right;
    rows -= down;
    cols -= right;
  }
};

/// The vector that lies @p row rows below the place; elements outside of the matrix are 0.
///
/// @tparam kAligned  the matrix and its rows start at multiples of 16 bytes, and so does the vector
template <bool kAligned>
__device__ uint4 load_half8(const Half8Rows& from, int row) {
  if (row >= from.rows || from.cols <= 0) return {};
  const __half* vector = from.place + static_cast<std::ptrdiff_t>(row) * from.width;
  if constexpr (kAligned) return *reinterpret_cast<const uint4*>(vector);
  const auto bits = [&](int i) {
    return i < from.cols ? static_cast<unsigned>(__half_as_ushort(vector[i])) : 0u;
  };
  return {bits(0) | bits(1) << 16, bits(2) | bits(3) << 16, bits(4) | bits(5) << 16, bits(6) | bits(7) << 16};
}

/// Two neighbours of a row of `width` floats, from `col` on; what would lie behind its end is dropped.
__device__ inline void store_pair(float* row, int col, int width, float first, float second) {
  if (col + 1 < width && reinterpret_cast<std::uintptr_t>(row + col) % sizeof(float2) == 0) {
    *reinterpret_cast<float2*>(row + col) = {first, second};
  } else {
    if (col < width) row[col] = first;
    if (col + 1 < width) row[col + 1] = second;
  }
}
