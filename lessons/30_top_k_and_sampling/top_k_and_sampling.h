// The contract of the lesson.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

constexpr int kMostK = 64;      ///< the most elements of a row that are asked for
constexpr int kMostSplits = 8;  ///< the most blocks that a row is divided among

/// An element as 64 bits, so that one comparison decides by value, and among equal values by the smaller
/// index. In the upper half lie the float's bits, turned so that they compare like the floats; in the lower
/// half the index, with all bits inverted. No element of a row has the same entry as another, and none has 0.
using Entry = unsigned long long;

/// How many entries `scratch` has: one for each row, and what its blocks may leave.
constexpr std::int64_t scratch_elements(int rows) {
  return static_cast<std::int64_t>(rows) * (1 + kMostSplits * kMostK);
}

/// The k largest elements of each row, in descending order, and where they are. Of equal elements the one
/// with the smaller index comes first: the result is unique. -0 and 0 are equal.
///
/// @param[out] values   device, float [rows][k], row-major
/// @param[out] indices  device, int [rows][k]: `values[r][i] == in[r][indices[r][i]]`
/// @param[in]  in       device, float [rows][cols], row-major; at a multiple of 16 bytes. Infinities are
///                      allowed, NaN is not: it has no place in an order
/// @param      rows     >= 0; rows * cols may exceed 2^31
/// @param      cols     >= k, a multiple of 4: every row starts at a multiple of 16 bytes
/// @param      k        1 to kMostK
/// @param      scratch  device, Entry [scratch_elements(rows)]; the first @p rows are 0 before and have to be
/// 0
///                      after, the others are undefined
/// @return cudaSuccess, or the launch error; no rows launch nothing
/// @note Reads rows * cols * 4 bytes. What is written is little.
cudaError_t top_k(float* values, int* indices, const float* in, int rows, int cols, int k, Entry* scratch);
