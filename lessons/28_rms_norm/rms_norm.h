// The contract of the lesson: five functions, of which a rung defines one. What they have in common:
// arithmetic is in single precision, and each result is rounded to bf16 once. All arrays start at multiples
// of 16 bytes and are row-major; none overlaps another. Inputs are finite and at most 2^48 in size.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime_api.h>

/// The widest row of a norm: as many channels as the largest language models have.
constexpr int kMostCols = 16384;

/// RMSNorm: each row by one factor of its own, each column by a weight.
/// `factor[r] = 1 / sqrt((x[r][0]^2 + ... + x[r][cols - 1]^2) / cols + epsilon)` and
/// `out[r][c] = x[r][c] * factor[r] * weight[c]`.
///
/// @param[out] out      device, bf16 [rows][cols]
/// @param[out] factor   device, float [rows]; training's way back reads it
/// @param[in]  x        device, bf16 [rows][cols]
/// @param[in]  weight   device, bf16 [cols]
/// @param      epsilon  added to the mean of the squares, > 0: rows of zeros become zeros
/// @param      rows     >= 0; rows * cols may exceed 2^31
/// @param      cols     >= 0, a multiple of 8, up to kMostCols: every row starts at a multiple of 16 bytes
/// @return cudaSuccess, or the launch error; a zero extent launches nothing
/// @note Reads rows * cols * 2 bytes and writes as many; the weights and factors are few. `out` is right to
///       2^-8 of its size, which rounding to bf16 takes at most, and a sixteenth of that more; `factor` to
///       2^-12.
/// @see  B. Zhang and R. Sennrich, "Root Mean Square Layer Normalization", arXiv:1910.07467
cudaError_t rms_norm(__nv_bfloat16* out, float* factor, const __nv_bfloat16* x, const __nv_bfloat16* weight,
                     float epsilon, int rows, int cols);  // rungs 1 to 4

/// The same of a sum, which is wanted, too: `sum[r][c] = x[r][c] + residual[r][c]`, rounded to bf16, and
/// then out and factor as above with this rounded sum in place of x.
///
/// @param[out] sum       device, bf16 [rows][cols]
/// @param[in]  residual  device, bf16 [rows][cols]
/// @note Reads rows * cols * 4 bytes and writes as many.
cudaError_t add_rms_norm(__nv_bfloat16* out, __nv_bfloat16* sum, float* factor, const __nv_bfloat16* x,
                         const __nv_bfloat16* residual, const __nv_bfloat16* weight, float epsilon, int rows,
                         int cols);  // rung 5

/// LayerNorm: the mean is subtracted first. With the mean of a row and its variance, which is the mean of
/// (x - mean)^2, `out[r][c] = (x[r][c] - mean) / sqrt(variance + epsilon) * weight[c] + bias[c]`.
///
/// @param[in] x     device, bf16 [rows][cols]; the mean of a row may be 2^11 times the root of its variance,
///                  or, of rows whose elements are all equal, up to 8
/// @param[in] bias  device, bf16 [cols]
/// @note The other parameters are those of rms_norm. `out` is right to 2^-9, and what is said above.
/// @see  J. L. Ba, J. R. Kiros and G. E. Hinton, "Layer Normalization", arXiv:1607.06450
cudaError_t layer_norm(__nv_bfloat16* out, const __nv_bfloat16* x, const __nv_bfloat16* weight,
                       const __nv_bfloat16* bias, float epsilon, int rows, int cols);  // rung 6

/// Rotary position embedding: elements i and i + dim / 2 of each head are a point in a plane, which is turned
/// by an angle that grows with the token's position. With c = table[position[t]][i] and
/// s = table[position[t]][i + dim / 2], for each i < dim / 2:
/// `out[t][h][i] = x[t][h][i] * c - x[t][h][i + dim / 2] * s` and
/// `out[t][h][i + dim / 2] = x[t][h][i + dim / 2] * c + x[t][h][i] * s`.
///
/// @param[out] out       device, bf16 [tokens][heads][dim]
/// @param[in]  x         device, bf16 [tokens][heads][dim]
/// @param[in]  position  device, int [tokens], each a row of @p table; in any order, and repeated
/// @param[in]  table     device, float [positions][dim]: the cosines and behind them the sines of
///                       p * 10000^(-2i / dim) for row p
/// @param      tokens    >= 0
/// @param      heads     >= 0; tokens * heads * dim may exceed 2^31
/// @param      dim       a multiple of 16, from 16 to 512
/// @return cudaSuccess, or the launch error; a zero extent launches nothing
/// @note Reads tokens * heads * dim * 2 bytes and writes as many, and reads a row of the table for each
/// token.
/// @see  J. Su et al., "RoFormer: Enhanced Transformer with Rotary Position Embedding", arXiv:2104.09864
cudaError_t rope(__nv_bfloat16* out, const __nv_bfloat16* x, const int* position, const float* table,
                 int tokens, int heads, int dim);  // rung 7

/// SwiGLU behind one matrix product that has computed both of its inputs:
/// `out[r][c] = silu(in[r][0][c]) * in[r][1][c]` with `silu(g) = g / (1 + exp(-g))`.
///
/// @param[out] out   device, bf16 [rows][cols]
/// @param[in]  in    device, bf16 [rows][2][cols]: of each row first the gates, then what they let through
/// @param      rows  >= 0; rows * cols may exceed 2^31
/// @param      cols  >= 0, a multiple of 8
/// @return cudaSuccess, or the launch error; a zero extent launches nothing
/// @note Reads rows * cols * 4 bytes and writes half as many. No result is infinite.
/// @see  N. Shazeer, "GLU Variants Improve Transformer", arXiv:2002.05202
cudaError_t swiglu(__nv_bfloat16* out, const __nv_bfloat16* in, int rows, int cols);  // rung 8
