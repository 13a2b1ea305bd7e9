// The contract of the lesson.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

enum class Operation { sum, max };

/// Room for intermediate results that a rung is given, in floats.
constexpr std::int64_t scratch_elements(std::int64_t n) { return n / 128 + 65536; }

/// Combines all elements of an array into one: `out[0] = in[0] + in[1] + ...`, or the largest of them.
///
/// @param[out] out        device, float [1]; of no elements the sum is 0 and the maximum -infinity
/// @param[in]  in         device, float [n], finite; starts at a multiple of 4 bytes
/// @param      n          elements, >= 0; may exceed 2^31
/// @param      operation  what to combine with; the order of combining is free
/// @param      scratch    device, float [scratch_elements(n)]; contents undefined before and after
/// @return cudaSuccess, or the launch error
/// @note Reads n * sizeof(float) bytes, n flop.
/// @see  M. Harris, "Optimizing Parallel Reduction in CUDA"
cudaError_t reduce(float* out, const float* in, std::int64_t n, Operation operation,
                   float* scratch);  // rungs 1 to 12

/// The mean of an array: `out[0] = (in[0] + in[1] + ...) / n`, to within one unit in the last place.
///
/// @param[out] out      device, float [1]
/// @param[in]  in       device, float [n], finite
/// @param      n        elements, >= 1; may exceed 2^31
/// @param      scratch  device, double [scratch_elements(n) / 2]; contents undefined before and after
/// @return cudaSuccess, or the launch error
cudaError_t mean(float* out, const float* in, std::int64_t n, double* scratch);  // rung 13

/// The exclusive or of all elements, bit by bit: `out[0] = in[0] ^ in[1] ^ ...`, which is 0 for none.
///
/// @param[out] out      device, unsigned [1]
/// @param[in]  in       device, unsigned [n]
/// @param      n        elements, >= 0; may exceed 2^31
/// @param      scratch  device, unsigned [scratch_elements(n)]; contents undefined before and after
/// @return cudaSuccess, or the launch error
cudaError_t exclusive_or(unsigned* out, const unsigned* in, std::int64_t n, unsigned* scratch);  // rung 14
