// The contract of the blank page: another window that slides over images.
#pragma once

#include <cuda_runtime_api.h>

/// Erodes images, as those who work on them call it: every element becomes the smallest of its neighbourhood,
/// `out[s][y][x] = min of in[s][y + i][x + j]` over all i and j from -radius to radius. What lies outside of
/// the image does not count.
///
/// @param[out] out     device, float [images][rows][cols], row-major; does not overlap @p in
/// @param[in]  in      device, float [images][rows][cols], row-major, finite
/// @param      images  >= 0; may exceed 65535
/// @param      rows    of each image, >= 0
/// @param      cols    of each image, >= 0; images * rows * cols may exceed 2^31
/// @param      radius  of the square, elements, 0 to 15; may exceed the image
/// @return cudaSuccess, or the launch error; where @p out has no element, nothing is launched
/// @note No flop; needs both arrays once. Minima do not round: results are exact.
/// @see  J. Serra, "Image Analysis and Mathematical Morphology"
cudaError_t erode(float* out, const float* in, int images, int rows, int cols, int radius);
