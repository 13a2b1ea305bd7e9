// The contract of the lesson.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime_api.h>

/// Multiplies a matrix of bf16 by the transpose of another, as a layer of a language model does with its
/// weights: `c[i][j] = a[i][0] * b[j][0] + a[i][1] * b[j][1] + ...`, added up in single precision and rounded
/// once.
///
/// @param[out] c  device, bf16 [m][n], row-major; does not overlap the others
/// @param[in]  a  device, bf16 [m][k], row-major, finite
/// @param[in]  b  device, bf16 [n][k], row-major, finite
/// @param      m  rows of @p a and @p c, >= 0
/// @param      n  rows of @p b and columns of @p c, >= 0, a multiple of 8
/// @param      k  columns of @p a and @p b, >= 0, a multiple of 8; where it is 0, every c[i][j] becomes 0
/// @pre all three begin at multiples of 16 bytes: so do their rows, as the TMA wants it
/// @return cudaSuccess, or the launch error; where m or n is 0, nothing is launched
/// @note 2 * m * n * k flop; needs (m * k + n * k + m * n) * sizeof(bf16) bytes.
/// @see  the PTX manual: "Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions"
cudaError_t hopper_matmul(__nv_bfloat16* c, const __nv_bfloat16* a, const __nv_bfloat16* b, int m, int n,
                          int k);
