// The contract of the lesson.
#pragma once

#include <cuda_runtime_api.h>

/// Multiplies two row-major matrices: `c[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j] + ...`.
///
/// @param[out] c  device, float [m][n], row-major; does not overlap the others
/// @param[in]  a  device, float [m][k], row-major, finite
/// @param[in]  b  device, float [k][n], row-major, finite
/// @param      m  rows of @p a and @p c, >= 0
/// @param      n  columns of @p b and @p c, >= 0; m * n, m * k and k * n may exceed 2^31
/// @param      k  columns of @p a and rows of @p b, >= 0; where it is 0, every c[i][j] becomes 0
/// @return cudaSuccess, or the launch error; where m or n is 0, nothing is launched
/// @note 2 * m * n * k flop; needs (m * k + k * n + m * n) * sizeof(float) bytes. Products are added in
///       single precision, in any order.
/// @see  V. Volkov and J. Demmel, "Benchmarking GPUs to Tune Dense Linear Algebra"
cudaError_t matmul(float* c, const float* a, const float* b, int m, int n, int k);
