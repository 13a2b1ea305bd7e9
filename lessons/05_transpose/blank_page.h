// The contract of the blank page: a picture turned by a quarter.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

/// Turns a picture by 90 degrees, clockwise: its left column, read from below, becomes the first row.
/// `out[x][height - 1 - y] = in[y][x]`. A pixel is 32 bits, moved as they are.
///
/// @param[out] out     device, pixels [width][height], row-major; does not overlap @p in
/// @param[in]  in      device, pixels [height][width], row-major
/// @param      width   pixels of a row of @p in, >= 0; width * height < 2^31
/// @param      height  rows of @p in, >= 0
/// @return cudaSuccess, or the launch error; a picture without pixels launches nothing
/// @note Moves 8 * width * height bytes, 0 flop.
cudaError_t quarter_turn(std::uint32_t* out, const std::uint32_t* in, int width, int height);
