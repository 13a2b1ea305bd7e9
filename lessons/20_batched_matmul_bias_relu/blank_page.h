// The contract of the blank page: another batch of small problems, with another epilogue.
#pragma once

#include <cuda_runtime_api.h>

/// For many small sets of points, the squared distance between any two points of a set, cut off at a limit:
/// `out[s][i][j] = min(limit, sum over d of (points[s][i][d] - points[s][j][d])^2)`.
///
/// @param[out] out     device, float [batch][n][n], row-major; does not overlap @p points
/// @param[in]  points  device, float [batch][n][dims], row-major, finite
/// @param      batch   number of sets, >= 0; may exceed 65535
/// @param      n       points of each set, >= 0; batch * n * n may exceed 2^31
/// @param      dims    coordinates of a point, >= 0; with none, all distances are min(limit, 0)
/// @param      limit   what larger distances become, finite
/// @return cudaSuccess, or the launch error; where batch or n is 0, nothing is launched
/// @note 3 * batch * n * n * dims flop; needs batch * n * (dims + n) * sizeof(float) bytes. Squares are added
///       in single precision, in any order. The differences themselves are wanted: |a|^2 - 2ab + |b|^2 rounds
///       too much where two points are close.
cudaError_t cut_distances(float* out, const float* points, int batch, int n, int dims, float limit);
