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

/// Elements (row, col) to (row, col + 7) of a row-major matrix; those outside of it are 0.
///
/// @tparam kAligned  col and cols are multiples of 8, and the matrix starts at a multiple of 16 bytes
template <bool kAligned>
__device__ uint4 load_octet(const __half* matrix, int row, int col, int rows, int cols) {
  if (row >= rows || col >= cols) return {};
  const __half* place = matrix + static_cast<std::size_t>(row) * cols + col;
  if constexpr (kAligned) return *reinterpret_cast<const uint4*>(place);
  const auto bits = [&](int i) {
    return col + i < cols ? static_cast<unsigned>(__half_as_ushort(place[i])) : 0u;
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
