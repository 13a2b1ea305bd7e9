// The contract of the lesson.
#pragma once

#include <cuda_runtime_api.h>

/// Turns each row into shares that are positive and add up to 1:
/// `out[r][c] = exp(in[r][c]) / (exp(in[r][0]) + ... + exp(in[r][cols - 1]))`.
///
/// @param[out] out   device, float [rows][cols], row-major; does not overlap @p in
/// @param[in]  in    device, float [rows][cols], row-major; finite, of any size, so that exp(in[r][c])
///                   itself may overflow, or -infinity, which means "no share" and is never all of a row
/// @param      rows  >= 0
/// @param      cols  >= 0, up to 65536 or so; rows * cols may exceed 2^31
/// @return cudaSuccess, or the launch error; a zero extent launches nothing
/// @note Both arrays start at a multiple of 16 bytes. Moves 2 * rows * cols * sizeof(float) bytes,
///       about 5 flop an element. A share is right to 2^-13 of its size.
/// @see  M. Milakov and N. Gimelshein, "Online normalizer calculation for softmax", arXiv:1805.02867
cudaError_t softmax(float* out, const float* in, int rows, int cols);
