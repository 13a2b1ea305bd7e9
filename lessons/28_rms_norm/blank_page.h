// The contract of the blank page.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime_api.h>

/// What newer models do to queries and keys before attention, head by head: RMSNorm over the head's elements,
/// then the rotation of rung 7. With `y[i] = x[t][h][i] / sqrt(mean + epsilon) * weight[i]`, where mean is
/// that of the squares of the head's dim elements, c = table[position[t]][i] and
/// s = table[position[t]][i + dim / 2], for each i < dim / 2:
/// `out[t][h][i] = y[i] * c - y[i + dim / 2] * s` and
/// `out[t][h][i + dim / 2] = y[i + dim / 2] * c + y[i] * s`.
///
/// @param[out] out       device, bf16 [tokens][heads][dim], row-major; overlaps no input
/// @param[in]  x         device, bf16 [tokens][heads][dim], finite and at most 2^48 in size
/// @param[in]  weight    device, bf16 [dim]
/// @param[in]  position  device, int [tokens], each a row of @p table; in any order, and repeated
/// @param[in]  table     device, float [positions][dim]: cosines, and behind them sines
/// @param      epsilon   added to the mean of the squares, > 0
/// @param      tokens    >= 0
/// @param      heads     >= 0; tokens * heads * dim may exceed 2^31
/// @param      dim       a power of two, from 16 to 512
/// @return cudaSuccess, or the launch error; a zero extent launches nothing
/// @note All arrays start at multiples of 16 bytes. Reads tokens * heads * dim * 2 bytes and writes as many,
///       and reads a row of the table for each token. Arithmetic is in single precision, rounded to bf16
///       once.
cudaError_t qk_norm_rope(__nv_bfloat16* out, const __nv_bfloat16* x, const __nv_bfloat16* weight,
                         const int* position, const float* table, float epsilon, int tokens, int heads,
                         int dim);
