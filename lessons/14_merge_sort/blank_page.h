// The contract of the blank page.
#pragma once

#include <cuda_runtime_api.h>

/// For each of many sorted keys, how many elements of a sorted array are below it: as std::lower_bound finds
/// it for one key. Either array may be much longer than the other, and equal values may stand side by side in
/// both.
///
/// @param[out] ranks  device, int [m]; overlaps no input
/// @param[in]  keys   device, float [m], in ascending order; infinities, but no NaN
/// @param      m      keys, >= 0
/// @param[in]  data   device, float [n], in ascending order; infinities, but no NaN
/// @param      n      elements, >= 0; m + n is below 2^31
/// @return cudaSuccess, or the launch error; where m is 0, nothing is launched
/// @note All arrays start at a multiple of 4 bytes. Moves (2 * m + n) * sizeof(float) bytes.
/// @see  O. Green, R. McColl, D. Bader, "GPU Merge Path: A GPU Merging Algorithm"
cudaError_t lower_bounds(int* ranks, const float* keys, int m, const float* data, int n);
