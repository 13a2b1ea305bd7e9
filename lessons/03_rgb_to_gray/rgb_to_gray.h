// The contract of the lesson, and the formula that every rung applies.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

/// Brightness of one pixel as the eye sees it: 0.299 red + 0.587 green + 0.114 blue, in 256ths and rounded.
/// @return 0 to 255; the weights add up to 256
__host__ __device__ inline std::uint8_t gray_of(unsigned red, unsigned green, unsigned blue) {
  return static_cast<std::uint8_t>((77 * red + 150 * green + 29 * blue + 128) / 256);
}

/// Makes a colour picture gray: `gray[y][x] = gray_of(rgb[y][x][0], rgb[y][x][1], rgb[y][x][2])`.
///
/// @param[out] gray    device, bytes [height][width]; starts at a multiple of 16 bytes
/// @param[in]  rgb     device, bytes [height][width][3], red first; starts at a multiple of 16 bytes
/// @param      width   pixels, >= 0; rows follow one another without a gap
/// @param      height  pixels, >= 0; width * height * 3 may exceed 2^31
/// @return cudaSuccess, or the launch error; a zero extent launches nothing
/// @note Reads 3 * width * height bytes, writes width * height bytes; 7 integer operations a pixel.
cudaError_t rgb_to_gray(std::uint8_t* gray, const std::uint8_t* rgb, int width, int height);
