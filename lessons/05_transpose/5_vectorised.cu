// Rung 5: 16 bytes an access.
#include <cstdint>

#include "transpose.h"

constexpr int kTile = 32;               // a row of the tile is 32 x 4 B = one line of 128 B
constexpr int kWide = 4;                // floats in an access of 16 B, the widest a thread has
constexpr int kEach = 2;                // such accesses a thread: their loads are under way together
constexpr int kRows = kTile / kEach;    // 8 x 16 threads
constexpr int kAcross = kTile / kWide;  // threads that take a row of the tile

/// Four neighbours of a row of `width` floats, from `col` on. A 16-byte access must start at a multiple
/// of 16 bytes, so rows of any other width go float by float; floats behind the row's end are 0.
template <bool kAligned>
__device__ float4 load(const float* row, int col, int width) {
  if constexpr (kAligned) {
    // TODO(1): load the four as one float4, if the row has them (1 line).
    return {};
  } else {
    return {col < width ? row[col] : 0.0f, col + 1 < width ? row[col + 1] : 0.0f,
            col + 2 < width ? row[col + 2] : 0.0f, col + 3 < width ? row[col + 3] : 0.0f};
  }
}

/// The way back; floats behind the row's end are dropped.
template <bool kAligned>
__device__ void store(float* row, int col, int width, float4 value) {
  if constexpr (kAligned) {
    // TODO(2): store the four as one float4, if the row has room for them (1 line).
  } else {
    if (col < width) row[col] = value.x;
    if (col + 1 < width) row[col + 1] = value.y;
    if (col + 2 < width) row[col + 2] = value.z;
    if (col + 3 < width) row[col + 3] = value.w;
  }
}

template <bool kAligned>
__global__ void transpose_kernel(float* out, const float* in, int rows, int cols) {
  // Blocks are numbered along one axis, for a grid has up to 2^31 - 1 blocks in x but only 65535 in y:
  // tile by tile down the columns of `in`, so that blocks that run together write along rows of `out`.
  const int tiles_down = (rows + kTile - 1) / kTile;
  const int col0 = blockIdx.x / tiles_down * kTile;  // the tile's first column and row in `in`
  const int row0 = blockIdx.x % tiles_down * kTile;
  const int x = threadIdx.x * kWide;  // the first of this thread's columns of the tile

  __shared__ float tile[kTile][kTile + 1];
  float4 element[kEach] = {};  // in registers, as long as the loops over it are unrolled
  // TODO(3): load this thread's accesses, kRows rows apart, from the rows that `in` has, with load() (5
  //          lines).
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    float* const to = &tile[threadIdx.y + k * kRows][x];  // one float each: the padding spoilt the alignment
    to[0] = element[k].x, to[1] = element[k].y, to[2] = element[k].z, to[3] = element[k].w;
  }
  __syncthreads();  // a thread takes out what another put in

  // The tile's place in `out` is mirrored. Lanes still run along a row: now of `out`.
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    const int y = threadIdx.y + k * kRows;
    const int out_row = col0 + y, out_col = row0 + x;
    // TODO(4): a column of the tile is a row of `out`. Gather the four floats of column y from rows x to
    //          x + 3 of the tile, and store them from column out_col on, if there is such a row (3 lines).
  }
}

cudaError_t transpose(float* out, const float* in, int rows, int cols) {
  if (rows == 0 || cols == 0) return cudaSuccess;  // a grid of no blocks would be a launch error
  const unsigned tiles_down = (rows + kTile - 1) / kTile, tiles_across = (cols + kTile - 1) / kTile;
  // TODO(5): when does every row of both matrices start at a multiple of 16 bytes? Launch
  //          transpose_kernel<true> then, and transpose_kernel<false> otherwise (4 lines).
  return cudaGetLastError();
}
