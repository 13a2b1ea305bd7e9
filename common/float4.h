// Four neighbours of a matrix's row at a time; how that is done is rung 5 of lesson 05.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

/// Whether every row of the three matrices starts at a multiple of 16 bytes, as a 16-byte access wants it.
inline bool rows_aligned(const float* c, const float* a, const float* b, int n, int k) {
  const auto addresses = reinterpret_cast<std::uintptr_t>(c) | reinterpret_cast<std::uintptr_t>(a) |
                         reinterpret_cast<std::uintptr_t>(b);
  return addresses % sizeof(float4) == 0 && n % 4 == 0 && k % 4 == 0;
}

/// Elements (row, col) to (row, col + 3) of a row-major matrix; those outside of it are 0.
///
/// @tparam kAligned  col and cols are multiples of 4, and the matrix starts at a multiple of 16 bytes
template <bool kAligned>
__device__ float4 load_float4(const float* matrix, int row, int col, int rows, int cols) {
  const float* place = matrix + static_cast<std::size_t>(row) * cols + col;
  if (row >= rows) return {};
  if constexpr (kAligned) {
    return col < cols ? *reinterpret_cast<const float4*>(place) : float4{};
  } else {
    return {col < cols ? place[0] : 0.0f, col + 1 < cols ? place[1] : 0.0f, col + 2 < cols ? place[2] : 0.0f,
            col + 3 < cols ? place[3] : 0.0f};
  }
}

/// The way back; what would lie outside is dropped.
template <bool kAligned>
__device__ void store_float4(float* matrix, int row, int col, int rows, int cols, float4 value) {
  float* place = matrix + static_cast<std::size_t>(row) * cols + col;
  if (row >= rows) return;
  if constexpr (kAligned) {
    if (col < cols) *reinterpret_cast<float4*>(place) = value;
  } else {
    if (col < cols) place[0] = value.x;
    if (col + 1 < cols) place[1] = value.y;
    if (col + 2 < cols) place[2] = value.z;
    if (col + 3 < cols) place[3] = value.w;
  }
}
