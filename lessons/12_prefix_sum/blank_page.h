// The contract of the blank page.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

/// Room for intermediate results, in words of 8 bytes.
constexpr std::int64_t scratch_words(std::int64_t n) { return n / 64 + 1024; }

/// A value that is multiplied and added to in every step: `x[i] = a[i] * x[i - 1] + b[i]`, with 0 for x[-1].
/// All of it is computed modulo 2^32, as unsigned arithmetic is, so the answer does not depend on how it is
/// grouped.
///
/// @param[out] x        device, unsigned [n]; overlaps no input
/// @param[in]  a        device, unsigned [n]: the factors
/// @param[in]  b        device, unsigned [n]: what is added
/// @param      n        elements, >= 0, below 2^31
/// @param      scratch  device, [scratch_words(n)], at a multiple of 8 bytes; contents undefined before and
///                      after
/// @return cudaSuccess, or the first error of a launch or a memset; where n is 0, nothing is launched
/// @note All arrays start at a multiple of 4 bytes. Moves 3 * n * sizeof(unsigned) bytes.
/// @see  G. Blelloch, "Prefix Sums and Their Applications", on recurrences
cudaError_t recurrence(unsigned* x, const unsigned* a, const unsigned* b, std::int64_t n,
                       unsigned long long* scratch);
