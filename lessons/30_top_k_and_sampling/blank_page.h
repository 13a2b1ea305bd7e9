// The contract of the blank page.
#pragma once

#include <cuda_runtime_api.h>

constexpr int kMostCols = 8192;  ///< the longest row: 32 KB, which a block's shared memory holds

/// The element of each row that would stand at place @p rank if the row were sorted in ascending order: its
/// median for rank = cols / 2.
///
/// @param[out] out   device, float [rows]
/// @param[in]  in    device, float [rows][cols], row-major; infinities are allowed, NaN is not
/// @param      rows  >= 0; rows * cols may exceed 2^31
/// @param      cols  1 to kMostCols
/// @param      rank  0 to cols - 1
/// @return cudaSuccess, or the launch error; no rows launch nothing
/// @note Reads rows * cols * 4 bytes.
cudaError_t quantile(float* out, const float* in, int rows, int cols, int rank);
