// The contract of the blank page: what one access to shared memory takes.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

constexpr int kMostLinks = 12'288;  ///< of a chain: 48 KiB, what a block has of shared memory without asking

/// Follows a chain through shared memory: brings @p next in, starts at 0, goes from `i` to `next[i]` @p hops
/// times, and writes where it arrived to `out[0]`. It is one chain: no hop can begin before the last one has
/// ended.
///
/// @param[out] out   device, one element
/// @param[in]  next  device, unsigned [n], each below n
/// @param      n     1 to kMostLinks
/// @param      hops  >= 0
/// @return cudaSuccess, or the launch error
/// @note Every hop reads shared memory once: what is asked for is the time of a hop.
cudaError_t chase_shared(unsigned* out, const unsigned* next, int n, std::int64_t hops);
