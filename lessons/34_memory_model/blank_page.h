// The contract of the blank page.
#pragma once

#include <cuda_runtime_api.h>

/// Solves a triangular system of equations: row after row,
/// `x[row] = b[row] - (factors[k] * x[cols[k]] + ...)` over k = starts[row], ..., starts[row + 1] - 1, modulo
/// 2^32. A row needs the rows that its columns name, and no others.
///
/// @param[out]    x        device, [n]
/// @param[in,out] work     device, [2 * n + 2], 0 when the function is called, at a multiple of 16 bytes
/// @param[in]     starts   device, int [n + 1], ascending, the first is 0
/// @param[in]     cols     device, int [starts[n]]; those of a row are smaller than the row, and may repeat
/// @param[in]     factors  device, [starts[n]]
/// @param[in]     b        device, [n]
/// @param         n        >= 0
/// @return cudaSuccess, or the launch error
/// @note Arrays do not overlap and have less than 2^31 elements. It is known to nobody which rows are ready
/// when.
/// @see  W. Liu, A. Li, J. Hogg, I. Duff and B. Vinter, "A Synchronization-Free Algorithm for Parallel Sparse
///       Triangular Solves", Euro-Par 2016
cudaError_t solve(unsigned* x, unsigned* work, const int* starts, const int* cols, const unsigned* factors,
                  const unsigned* b, int n);
