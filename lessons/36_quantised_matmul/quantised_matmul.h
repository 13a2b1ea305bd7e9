// The contract of the lesson: three functions, of which a rung defines one. A quantised matrix holds numbers
// of few bits, and scales: an element is the number times its scale. All arrays are row-major, begin at
// multiples of 16 bytes and have less than 2^31 elements; none overlaps another. Scales are finite, > 0, and
// so are 2^-60 and 2^60 times as much. Results are rounded to bf16, once. Where m or n is 0, nothing is
// launched; where k is 0, every c[i][j] becomes 0.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime_api.h>

constexpr int kGroup = 128;    ///< neighbours of a row of w that have one scale, in rung 4
constexpr int kMostRows = 16;  ///< of a, in rung 4: tokens that are decoded together

/// Weights and activations of 8 bits: `c[i][j] = a_scale[i] * b_scale[j] * (a[i][0] * b[j][0] + ...)`, the
/// sum in parentheses being one of integers, and exact.
///
/// @param[out] c        device, bf16 [m][n]
/// @param[in]  a        device, [m][k], from -127 to 127: a token's activations a row
/// @param[in]  b        device, [n][k], from -127 to 127: the weights of one output a row
/// @param[in]  a_scale  device, float [m]
/// @param[in]  b_scale  device, float [n]
/// @param      m        >= 0
/// @param      n        >= 0, a multiple of 8
/// @param      k        from 0 to 2^17, a multiple of 16: a sum fits 32 bits, and rows begin at
///                      multiples of 16 bytes
/// @return cudaSuccess, or the launch error
/// @note 2 * m * n * k operations; needs (m + n) * k bytes of the factors, and 2 * m * n of the result.
/// @see  T. Dettmers et al., "LLM.int8(): 8-bit Matrix Multiplication for Transformers at Scale",
///       arXiv:2208.07339
cudaError_t int8_matmul(__nv_bfloat16* c, const signed char* a, const signed char* b, const float* a_scale,
                        const float* b_scale, int m, int n, int k);  // rungs 1 to 3

/// Weights of 4 bits, and a few rows of activations in bf16: `c[i][j] = a[i][0] * v[j][0] + ...`, added up in
/// single precision, with `v[j][l] = w_scale[l / kGroup][j] * (number l of row j of w - 8)`. Weights are
/// known long before they are needed, so they lie in the order in which they are read.
///
/// @param[out] c        device, bf16 [m][n]
/// @param[in]  a        device, bf16 [m][k], finite
/// @param[in]  w        device, [n / 16][k / kGroup][16][kGroup / 8]: tiles of 16 rows and one group;
///                      eight numbers from 0 to 15 a word, the first in its lowest bits
/// @param[in]  w_scale  device, bf16 [k / kGroup][n]
/// @param      m        from 0 to kMostRows
/// @param      n        >= 0, a multiple of 16
/// @param      k        >= 0, a multiple of kGroup
/// @return cudaSuccess, or the launch error
/// @note Reads n * k / 2 bytes of weights, and n * k / 64 of their scales.
/// @see  E. Frantar et al., "MARLIN: Mixed-Precision Auto-Regressive Parallel Inference on Large Language
///       Models", arXiv:2408.11743
cudaError_t int4_matmul(__nv_bfloat16* c, const __nv_bfloat16* a, const unsigned* w,
                        const __nv_bfloat16* w_scale, int m, int n, int k);  // rung 4

/// int8_matmul with 8-bit floats, e4m3, in place of integers. Tensor Cores drop bits of such sums: no more
/// than 256 products are added up before the sum goes on in single precision.
///
/// @param[in] a  device, e4m3 [m][k], no NaN
/// @param[in] b  device, e4m3 [n][k], no NaN
/// @param     k  >= 0, a multiple of 16
/// @note A result may be off by 3 * 2^-9 of its size, and by k * 2^-14 of the largest product.
/// @see  P. Micikevicius et al., "FP8 Formats for Deep Learning", arXiv:2209.05433
cudaError_t fp8_matmul(__nv_bfloat16* c, const unsigned char* a, const unsigned char* b, const float* a_scale,
                       const float* b_scale, int m, int n, int k);  // rung 5
