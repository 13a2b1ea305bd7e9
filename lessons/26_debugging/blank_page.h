// The contract of the blank page: what a test of one's own needs.
#pragma once

#include <cuda_runtime_api.h>

/// Where two arrays differ first: `at[0]` becomes the smallest i for which a[i] and b[i] are not alike, and n
/// where there is none. Alike are two numbers of which one is @p tolerance from the other or less, two
/// infinities of one sign, and two NaNs; a NaN and a number are not.
///
/// @param[out] at         device, one element
/// @param[in]  a          device, float [n]
/// @param[in]  b          device, float [n]
/// @param      n          >= 0
/// @param      tolerance  >= 0
/// @return cudaSuccess, or an error of the launches
/// @note Needs both arrays once.
cudaError_t first_difference(int* at, const float* a, const float* b, int n, float tolerance);
