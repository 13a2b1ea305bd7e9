// The contract of the lesson's blank page.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

constexpr int kScratch = 65'536;  // elements of each of the two arrays for intermediate results

/// The smallest element of an array and the first place that has it: `value[0]` is the minimum of all in[i],
/// `place[0]` the lowest i with `in[i] == value[0]`.
///
/// @param[out] value    device, float [1]; of no elements +infinity
/// @param[out] place    device, int [1]; of no elements -1
/// @param[in]  in       device, float [n], finite; starts at a multiple of 4 bytes
/// @param      n        elements, >= 0, below 2^31
/// @param      values   device, float [kScratch], for intermediate results; undefined before and after
/// @param      places   device, int [kScratch], for intermediate results; undefined before and after
/// @return cudaSuccess, or the launch error
/// @note Reads n * sizeof(float) bytes.
cudaError_t minimum(float* value, int* place, const float* in, std::int64_t n, float* values, int* places);
