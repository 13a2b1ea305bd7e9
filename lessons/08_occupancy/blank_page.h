// The contract of the blank page: the nearest of many points.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

/// Finds for each query how far its nearest point is: `out[i] = min over j of |query[i] - point[j]|^2`.
///
/// @param[out] out      device, float [n]: the square of the distance; does not overlap the inputs
/// @param[in]  queries  device, float4 [n]: x, y, z from -1 to 1; w means nothing
/// @param[in]  points   device, float4 [m]: the same
/// @param      n        queries, >= 0
/// @param      m        points, >= 0; without any the distances are infinite
/// @return cudaSuccess, or the error of a call or a launch; n = 0 launches nothing
/// @note Moves 20 * n + 16 * m bytes, 8 * n * m flop. Results are within 2^-19 of the true ones.
cudaError_t nearest(float* out, const float4* queries, const float4* points, std::int64_t n, int m);
