// The contract of the lesson.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include <cstdint>

/// The tail of a layer, with dropout:
/// `out[r][c] = (in[r][c] + bias[c]) * mask[r][c] * scale + residual[r][c]`.
///
/// @param[out] out       device, float [rows][cols], row-major; overlaps no input
/// @param[in]  in        device, float [rows][cols]
/// @param[in]  bias      device, float [cols]
/// @param[in]  mask      device, [rows][cols], a byte each: 1 keeps the element, 0 drops it; nothing
///                       else occurs
/// @param[in]  residual  device, float [rows][cols]
/// @param      scale     makes up for what is dropped: 1 / (1 - share dropped); > 0, and a half
///                       can hold it exactly
/// @param      rows      >= 0
/// @param      cols      >= 0; rows * cols is below 2^31
/// @return cudaSuccess, or the launch error; a zero extent launches nothing
/// @note Everything is finite, also what is computed on the way in the type of the arrays, dropped elements
///       included. Every array starts at a multiple of 16 bytes. Moves 13 * rows * cols bytes and the bias,
///       3 flop an element. Results are within 2^-20 of the true value, or 2^-22 of its size more.
cudaError_t bias_mask_scale_add(float* out, const float* in, const float* bias, const std::uint8_t* mask,
                                const float* residual, float scale, int rows, int cols);  // rungs 1 to 4

/// The same in half precision: 7 * rows * cols bytes. Results are within 1/256 of the true value, or a
/// thousandth of its size more.
cudaError_t bias_mask_scale_add(__half* out, const __half* in, const __half* bias, const std::uint8_t* mask,
                                const __half* residual, float scale, int rows, int cols);  // rungs 5 to 7
