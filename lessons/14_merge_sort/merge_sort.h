// The contract of the lesson.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

/// Room for intermediate results that a rung is given, in bytes: each array once more, and a word for every
/// 16 elements.
constexpr std::size_t scratch_bytes(int n) { return static_cast<std::size_t>(n) * 9 + 65536; }

/// Sorts keys in ascending order, and moves each key's value along with it. The sort is stable: of equal
/// keys, the one that came first stays first.
///
/// @param[out] keys_out    device, float [n]; does not overlap the others
/// @param[out] values_out  device, int [n]; null if @p values is
/// @param[in]  keys        device, float [n]; infinities, and both zeros, which are equal and, as all equal
///                     keys, told apart only by their values; but no NaN, which is neither above nor below
///                     anything
/// @param[in]  values      device, int [n]; null if only keys are to be sorted, as in all rungs but the last
/// @param      n           elements, from 0 to 2^30
/// @param      scratch     device, [scratch_bytes(n)], at a multiple of 256 bytes; undefined before and after
/// @return cudaSuccess, or the launch error; where n is 0, nothing is launched
/// @note Reads and writes n * sizeof(float) bytes at least, and as much for the values.
/// @see  O. Green, R. McColl, D. Bader, "GPU Merge Path: A GPU Merging Algorithm"
cudaError_t merge_sort(float* keys_out, int* values_out, const float* keys, const int* values, int n,
                       void* scratch);
