// The contract of the lesson.
#pragma once

#include <cuda_runtime_api.h>

/// Transposes a row-major matrix, bit by bit, whatever its elements are: `out[c][r] = in[r][c]`.
///
/// @param[out] out   device, float [cols][rows], row-major; does not overlap @p in
/// @param[in]  in    device, float [rows][cols], row-major
/// @param      rows  rows of @p in, elements, >= 0; rows * cols may exceed 2^31
/// @param      cols  columns of @p in, elements, >= 0
/// @return cudaSuccess, or the launch error; a zero extent launches nothing
/// @note Moves 2 * rows * cols * sizeof(float) bytes, 0 flop.
/// @see  M. Harris, "An Efficient Matrix Transpose in CUDA C/C++"
cudaError_t transpose(float* out, const float* in, int rows, int cols);
