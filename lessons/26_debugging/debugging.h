// The contract of the lesson: four small functions, of which a rung defines one.
#pragma once

#include <cuda_runtime_api.h>

constexpr int kBlock = 256;  ///< threads of a block, and elements that a block has in rungs 3 and 4

/// Differences of neighbours: `out[i] = in[i + 1] - in[i]` for i < n - 1.
///
/// @param[out] out  device, float [n - 1]; does not overlap @p in
/// @param[in]  in   device, float [n]
/// @param      n    >= 1; 1 launches nothing
/// @return cudaSuccess, or the launch error
cudaError_t differences(float* out, const float* in, int n);  // rung 1

/// Sums of three: `out[i] = in[i - 1] + in[i] + in[i + 1]`, where what lies outside of @p in is 0.
///
/// @param[out] out  device, int [n]; does not overlap @p in
/// @param[in]  in   device, int [n]
/// @param      n    >= 0; 0 launches nothing
/// @return cudaSuccess, or the launch error
cudaError_t neighbours(int* out, const int* in, int n);  // rung 2

/// The smallest element of each kBlock: `out[b]` is the minimum of `in[b * kBlock]` to the last before
/// `in[(b + 1) * kBlock]` that exists.
///
/// @param[out] out  device, float [ceil(n / kBlock)]; does not overlap @p in
/// @param[in]  in   device, float [n], finite
/// @param      n    >= 0; 0 launches nothing
/// @return cudaSuccess, or the launch error
cudaError_t minima(float* out, const float* in, int n);  // rung 3

/// The sum of each kBlock: as minima(), with the sum in place of the minimum.
///
/// @param[out] out  device, int [ceil(n / kBlock)]; does not overlap @p in
/// @param[in]  in   device, int [n]; every sum fits an int
/// @param      n    >= 0; 0 launches nothing
/// @return cudaSuccess, or the launch error
cudaError_t sums(int* out, const int* in, int n);  // rung 4
