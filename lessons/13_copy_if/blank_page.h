// The contract of the blank page.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

/// Which elements go to the front.
__host__ __device__ inline bool to_front(int value) { return value % 2 == 0; }

/// Room for intermediate results, in words of 8 bytes.
constexpr std::int64_t scratch_words(std::int64_t n) { return n / 64 + 1024; }

/// Parts an array in two: those that to_front() wants, then the others. Both keep the order that they have in
/// the input (a stable partition).
///
/// @param[out] out      device, int [n]; does not overlap @p in
/// @param[out] front    device, int [1]: how many went to the front
/// @param[in]  in       device, int [n]; starts at a multiple of 4 bytes
/// @param      n        elements, >= 0, below 2^31
/// @param      scratch  device, [scratch_words(n)], at a multiple of 8 bytes; contents undefined before and
///                      after
/// @return cudaSuccess, or the first error of a launch or a memset; where n is 0, @p front is set all the
/// same
/// @note Moves 2 * n * sizeof(int) bytes.
cudaError_t partition(int* out, int* front, const int* in, std::int64_t n, unsigned long long* scratch);
