// The contract of the lesson.
#pragma once

#include <cuda_runtime_api.h>

/// A linear layer for each matrix of a batch: `out[s] = max(0, a[s] * b[s] + bias)`, where the bias is added
/// to every row.
///
/// @param[out] out    device, float [batch][m][n], row-major; does not overlap the others
/// @param[in]  a      device, float [batch][m][k], row-major, finite
/// @param[in]  b      device, float [batch][k][n], row-major, finite
/// @param[in]  bias   device, float [n], finite, the same for all of the batch
/// @param      batch  number of products, >= 0; may exceed 65535
/// @param      m      rows of each a[s] and out[s], >= 0
/// @param      n      columns of each b[s] and out[s], >= 0; batch * m * n may exceed 2^31
/// @param      k      columns of each a[s] and rows of each b[s], >= 0
/// @return cudaSuccess, or the launch error; where batch, m or n is 0, nothing is launched
/// @note 2 * batch * m * n * k flop; needs batch * (m * k + k * n + m * n) * sizeof(float) bytes.
///       Products are added in single precision, in any order.
cudaError_t batched_matmul_bias_relu(float* out, const float* a, const float* b, const float* bias, int batch,
                                     int m, int n, int k);
