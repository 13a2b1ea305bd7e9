// The contract of the blank page.
#pragma once

#include <cuda_runtime_api.h>

/// Cross entropy, the loss of a classifier and of a language model, for each row:
/// `loss[r] = log(exp(in[r][0]) + ... + exp(in[r][cols - 1])) - in[r][label[r]]`.
///
/// @param[out] loss   device, float [rows]
/// @param[in]  in     device, float [rows][cols], row-major, from -2000 to 2000, so that exp(in[r][c]) itself
///                    may overflow; or -infinity, which means "impossible" and is never the label's
/// @param[in]  label  device, int [rows], each from 0 to cols - 1
/// @param      rows   >= 0
/// @param      cols   >= 1; rows * cols may exceed 2^31
/// @return cudaSuccess, or the launch error; no rows launch nothing
/// @note `in` starts at a multiple of 16 bytes. Moves rows * cols * sizeof(float) bytes and two numbers a
///       row, about 4 flop an element. A loss is right to 2^-10, and 2^-20 of its
///       size.
cudaError_t cross_entropy(float* loss, const float* in, const int* label, int rows, int cols);
