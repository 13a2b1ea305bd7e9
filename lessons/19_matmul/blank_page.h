// The contract of the blank page: another product than the lesson's, as BLAS libraries have it.
#pragma once

#include <cuda_runtime_api.h>

/// Updates a matrix by a product of two others: `c = alpha * a * b + beta * c`, all row-major.
///
/// Where @p beta is 0, c is not read: it may hold anything before the call, NaN included, and
/// `alpha * a * b` stands there behind it.
///
/// @param[in,out] c      device, float [m][n], row-major; does not overlap the others
/// @param[in]     a      device, float [m][k], row-major, finite
/// @param[in]     b      device, float [k][n], row-major, finite
/// @param         m      rows of @p a and @p c, >= 0
/// @param         n      columns of @p b and @p c, >= 0; m * n, m * k and k * n may exceed 2^31
/// @param         k      columns of @p a and rows of @p b, >= 0; where it is 0, beta * c is left
/// @param         alpha  factor of the product, finite
/// @param         beta   factor of what c held before, finite
/// @return cudaSuccess, or the launch error; where m or n is 0, nothing is launched
/// @note 2 * m * n * k flop; needs (m * k + k * n + 2 * m * n) * sizeof(float) bytes. Products are added in
///       single precision, in any order. Arrays start at multiples of 4 bytes, and extents are any.
/// @see  BLAS, "sgemm"
cudaError_t gemm(float* c, const float* a, const float* b, int m, int n, int k, float alpha, float beta);
