// The contract of the blank page.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

/// How far two gray pictures differ, as one looks for what has moved between them: `out[i] = |a[i] - b[i]|`.
///
/// @param[out] out  device, bytes [n]; starts at a multiple of 16 bytes; does not overlap @p a or @p b
/// @param[in]  a    device, bytes [n]; starts at a multiple of 16 bytes
/// @param[in]  b    device, bytes [n]; likewise
/// @param      n    pixels, >= 0; may exceed 2^31
/// @return cudaSuccess, or the launch error; n = 0 launches nothing
/// @note Reads 2 * n bytes and writes n.
cudaError_t difference(std::uint8_t* out, const std::uint8_t* a, const std::uint8_t* b, std::int64_t n);
