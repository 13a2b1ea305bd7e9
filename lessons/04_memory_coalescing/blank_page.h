// The contract of the blank page: rows of a table, looked up by number.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

/// Copies rows of a table, bit by bit, as a language model looks up the vectors of its words:
/// `out[i][c] = table[index[i]][c]`. A number may occur any number of times, in any order.
///
/// @param[out] out    device, float [n][width], row-major; overlaps neither input
/// @param[in]  table  device, float [rows][width], row-major
/// @param[in]  index  device, [n], each from 0 to rows - 1
/// @param      n      rows of @p out, >= 0
/// @param      width  floats of a row, >= 0; n * width < 2^31
/// @return cudaSuccess, or the launch error; without any element nothing is launched
/// @pre    Nothing is known of where the arrays start but that it is at a multiple of a float's 4 bytes.
/// @note Moves (2 * width + 1) * n * 4 bytes, 0 flop.
cudaError_t gather_rows(float* out, const float* table, const std::int32_t* index, std::int64_t n, int width);
