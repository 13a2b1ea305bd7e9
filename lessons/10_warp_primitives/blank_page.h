// The contract of the lesson's blank page.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

constexpr int kGroup = 32;  // consecutive keys that are compared with each other

/// What is found out about the keys, group by group: group g is keys 32 * g to 32 * g + 31, the last group
/// those that are left. All on the device, contents undefined before.
struct Ranks {
  int* equal;     ///< [n]: how many keys of its group equal this one, itself included
  int* before;    ///< [n]: how many of those stand before it
  int* distinct;  ///< [(n + 31) / 32]: how many different keys the group has
};

/// Ranks each key among the equal ones of its group, as a radix sort does to find places.
///
/// @param[out] out   see Ranks
/// @param[in]  keys  device, int [n]; any value
/// @param      n     keys, >= 0, below 2^31
/// @return cudaSuccess, or the launch error
/// @note Reads 4 bytes a key, writes 8 and an eighth.
cudaError_t rank_equal_keys(Ranks out, const int* keys, std::int64_t n);
