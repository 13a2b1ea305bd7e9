// The contract of the blank page.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include <cstdint>

/// Dropout and a residual, with a mask of one bit an element:
/// `out[i] = (bit i of mask is 1 ? in[i] * scale : 0) + residual[i]`.
///
/// @param[out] out       device, half [n]; overlaps no input
/// @param[in]  in        device, half [n]
/// @param[in]  mask      device, byte [(n + 7) / 8]: bit i % 8 of byte i / 8 belongs to element i, where bit
///                       0 is worth 1; bits behind element n - 1 may be anything
/// @param[in]  residual  device, half [n]
/// @param      scale     > 0, and a half can hold it exactly
/// @param      n         elements, >= 0, below 2^31
/// @return cudaSuccess, or the launch error; n = 0 launches nothing
/// @note Everything is finite, also what is computed on the way in half precision. Every array starts at a
///       multiple of 16 bytes. Moves 6.125 * n bytes, 2 flop an element. Results are within 1/256 of the true
///       value, or a thousandth of its size more.
cudaError_t dropout_add(__half* out, const __half* in, const std::uint8_t* mask, const __half* residual,
                        float scale, std::int64_t n);
