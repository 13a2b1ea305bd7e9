// The contract of the lesson that the harness is tested with.
#pragma once

#include <cuda_runtime_api.h>

/// Adds a scaled vector: `out[i] = 3 * x[i] + y[i]`.
///
/// @param[out] out  device, float [n]; does not overlap the inputs
/// @param[in]  x    device, float [n]
/// @param[in]  y    device, float [n]
/// @param      n    elements, >= 0
/// @return cudaSuccess, or the launch error; n == 0 launches nothing
cudaError_t saxpy(float* out, const float* x, const float* y, int n);
