// The contract of the blank page.
#pragma once

#include <cuda_runtime_api.h>

constexpr int kMostRadius = 15;  ///< of a window

/// Sums of windows: `out[y][x]` is the sum of all `in[r][c]` with |r - y| <= @p radius and
/// |c - x| <= @p radius that exist. (Divided by their number it is a box blur.)
///
/// @param[out] out     device, float [rows][cols], row-major; does not overlap @p in
/// @param[in]  in      device, float [rows][cols], row-major; multiples of 1/64 from -1 to 1, so that
///                     sums are exact in any order
/// @param      rows    >= 0
/// @param      cols    >= 0; where rows or cols is 0, nothing is launched; rows * cols < 2^31
/// @param      radius  0 to kMostRadius
/// @return cudaSuccess, or the launch error
/// @note Needs both arrays once.
cudaError_t box_sum(float* out, const float* in, int rows, int cols, int radius);
