// The contract of the blank page.
#pragma once

#include <cuda_runtime_api.h>

constexpr int kMostCols = 4096;  ///< the longest row: 16 KB, which a block's shared memory holds

/// Sorts each row of a matrix by itself, the smallest first.
///
/// @param[out] out   device, float [rows][cols], row-major
/// @param[in]  in    device, float [rows][cols], row-major; does not overlap @p out. Infinities are allowed,
///                   NaN is not; -0 and 0 are equal, and either may come first
/// @param      rows  >= 0; rows * cols may exceed 2^31
/// @param      cols  1 to kMostCols
/// @return cudaSuccess, or the launch error; no rows launch nothing
/// @note Moves 2 * rows * cols * 4 bytes.
cudaError_t sort_rows(float* out, const float* in, int rows, int cols);
