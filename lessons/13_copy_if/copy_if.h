// The contract of the lesson.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

/// Which elements are wanted.
__host__ __device__ inline bool keep(int value) { return value > 0; }

/// In which order the wanted elements stand in the output.
enum class Order {
  any,       ///< each exactly once, but wherever it happened to land
  of_input,  ///< as in the input
};

/// Room for intermediate results that a rung is given, in words of 8 bytes.
constexpr std::int64_t scratch_words(std::int64_t n) { return n / 512 + 1024; }

/// Copies the elements that keep() wants, without gaps, and counts them.
///
/// @param[out] out      device, int [*kept], just as long as needed; does not overlap @p in
/// @param[out] kept     device, int [1]: how many there are
/// @param[in]  in       device, int [n]; starts at a multiple of 4 bytes
/// @param      n        elements, >= 0, below 2^31
/// @param      scratch  device, [scratch_words(n)], at a multiple of 8 bytes; contents undefined before and
///                      after
/// @return cudaSuccess, or the first error of a launch or a memset
/// @note Reads n * sizeof(int) bytes, writes *kept * sizeof(int).
cudaError_t copy_if(int* out, int* kept, const int* in, std::int64_t n, unsigned long long* scratch);

/// What the rung promises about @p out. Each rung comes with it: of_input from rung 4 on.
Order output_order();
