// The contract of the blank page: weights of 8 bits, activations that stay in half precision.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

constexpr int kMostRows = 16;  ///< of a: tokens that are decoded together

/// A few rows of activations, times quantised weights: `c[i][j] = w_scale[j] * (a[i][0] * w[j][0] + ...)`,
/// added up in single precision and rounded once.
///
/// @param[out] c        device, half [m][n], row-major
/// @param[in]  a        device, half [m][k], row-major, finite
/// @param[in]  w        device, [n][k], row-major, from -128 to 127
/// @param[in]  w_scale  device, float [n], finite, > 0
/// @param      m        from 0 to kMostRows
/// @param      n        >= 0, a multiple of 8
/// @param      k        >= 0, a multiple of 16; where it is 0, every c[i][j] becomes 0
/// @pre arrays begin at multiples of 16 bytes, have less than 2^31 elements and do not overlap; no result is
///      larger than 1000 in size
/// @return cudaSuccess, or the launch error; where m or n is 0, nothing is launched
/// @note Reads n * k bytes of weights, which is nearly all. 2 * m * n * k flop.
cudaError_t few_rows_matmul(__half* c, const __half* a, const signed char* w, const float* w_scale, int m,
                            int n, int k);
