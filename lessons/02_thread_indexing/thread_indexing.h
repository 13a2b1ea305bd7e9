// The contract of the lesson.
#pragma once

#include <cuda_runtime_api.h>

/// How much a volume's values rise from one voxel to the next along each axis.
struct Tilt {
  int x = 0, y = 0, z = 0;
};

/// Levels a volume, as one does with the scan of a tilted sample:
/// `out[z][y][x] = in[z][y][x] - (tilt.x * x + tilt.y * y + tilt.z * z)`.
///
/// @param[out] out   device, int [nz][ny][nx], x fastest; does not overlap @p in
/// @param[in]  in    device, int [nz][ny][nx], x fastest
/// @param      nx    voxels of a row, >= 0
/// @param      ny    rows of a slice, >= 0
/// @param      nz    slices, >= 0; nx * ny * nz may exceed 2^31
/// @param      tilt  per voxel; no result leaves the range of an int
/// @return cudaSuccess, or the launch error; a zero extent launches nothing
/// @note Moves 2 * nx * ny * nz * sizeof(int) bytes, 0 flop.
cudaError_t level(int* out, const int* in, int nx, int ny, int nz, Tilt tilt);
