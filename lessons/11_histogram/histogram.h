// The contract of the lesson.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

constexpr int kBins = 256;  // one for each value a byte can have

/// Counts how often each value occurs: `bins[v]` is the number of places i with `data[i] == v`.
///
/// @param[out] bins  device, unsigned [kBins]; contents undefined before, so all of it has to be written
/// @param[in]  data  device, unsigned char [n]; may start at any address
/// @param      n     elements, >= 0, below 2^32
/// @return cudaSuccess, or the first error of a launch or a memset
/// @note Reads n bytes, writes 1 KiB; n additions.
cudaError_t histogram(unsigned* bins, const unsigned char* data, std::int64_t n);
