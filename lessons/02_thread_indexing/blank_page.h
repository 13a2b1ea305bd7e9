// The contract of the blank page.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

/// Voxels along each axis.
struct Extent {
  int x = 0, y = 0, z = 0;
};

/// Cuts a box out of a volume: `out[z][y][x] = in[at.z + z][at.y + y][at.x + x]`.
///
/// @param[out] out  device, float [box.z][box.y][box.x], x fastest; does not overlap @p in
/// @param[in]  in   device, float [of.z][of.y][of.x], x fastest
/// @param      of   extents of @p in, >= 0; their product may exceed 2^31
/// @param      box  extents of @p out, >= 0
/// @param      at   the box's first voxel, >= 0; the box lies in the volume: at + box <= of along each axis
/// @return cudaSuccess, or the launch error; a zero extent of the box launches nothing
/// @note Moves 2 * box.x * box.y * box.z * sizeof(float) bytes, 0 flop.
cudaError_t crop(float* out, const float* in, Extent of, Extent box, Extent at);
