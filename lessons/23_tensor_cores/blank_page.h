// The contract of the blank page.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

/// Scalar products of all rows with all rows: `out[i][j] = x[i][0] * x[j][0] + x[i][1] * x[j][1] + ...`,
/// added up in single precision. (The Gram matrix. Where rows have length 1, it says how alike any two are.)
///
/// @param[out] out  device, float [n][n], row-major; does not overlap @p x
/// @param[in]  x    device, half [n][k], row-major, finite
/// @param      n    rows of @p x, 0 to 32768; 0 launches nothing
/// @param      k    columns of @p x, >= 0; where it is 0, every out[i][j] becomes 0
/// @return cudaSuccess, or the launch error
/// @note 2 * n * n * k flop; needs n * k * sizeof(half) + n * n * sizeof(float) bytes.
cudaError_t scalar_products(float* out, const __half* x, int n, int k);
