// The contract of the lesson: three functions, of which a rung defines one. What they have in common: keys
// are unsigned, the smallest comes first; all arrays start at multiples of 16 bytes, and none overlaps
// another.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

constexpr int kMostKeys = 1 << 29;  ///< a count of keys fits into 30 bits

/// Room for intermediate results that a rung is given, in words of 4 bytes: as much as what is sorted, and
/// half a word and more for each key.
/// @param words  of a key, and of its value: 1, or 2
constexpr std::int64_t scratch_words(std::int64_t n, int words) { return n * words + n / 2 + 65'536; }

/// Sorts keys of 32 bits.
///
/// @param[out] out      device, unsigned [n], in ascending order
/// @param[in]  in       device, unsigned [n], in any order
/// @param      n        0 to kMostKeys
/// @param      scratch  device, [scratch_words(n, 1)], contents undefined before and after
/// @return cudaSuccess, or the first error of a launch or a memset; no keys launch nothing
/// @note Moves 2 * n * 4 bytes if each key could go straight to its place.
cudaError_t sort_keys(unsigned* out, const unsigned* in, int n, unsigned* scratch);  // rungs 1 to 5

/// Sorts keys of 64 bits.
///
/// @param      scratch  device, [scratch_words(n, 2)]
/// @note The other parameters are those of sort_keys. Moves 2 * n * 8 bytes.
cudaError_t sort_wide_keys(std::uint64_t* out, const std::uint64_t* in, int n, unsigned* scratch);  // rung 6

/// Sorts keys of 32 bits, each with a value that goes along. Values of equal keys keep their order: the sort
/// is stable, and the result unique.
///
/// @param[out] out         device, unsigned [n], in ascending order
/// @param[out] out_values  device, unsigned [n], each at its key's place
/// @param[in]  in          device, unsigned [n]
/// @param[in]  in_values   device, unsigned [n]
/// @param      scratch     device, [scratch_words(n, 2)]
/// @note The other parameters are those of sort_keys. Moves 2 * n * 8 bytes.
cudaError_t sort_pairs(unsigned* out, unsigned* out_values, const unsigned* in, const unsigned* in_values,
                       int n, unsigned* scratch);  // rung 7
