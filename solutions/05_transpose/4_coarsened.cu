// Rung 4: four elements a thread, their loads independent, so that one thread waits for four at once.
#include "transpose.h"

constexpr int kTile = 32;             // a row of the tile is 32 x 4 B = one line of 128 B
constexpr int kEach = 4;              // elements a thread moves: its loads are under way together
constexpr int kRows = kTile / kEach;  // 32 x 8 threads: smaller blocks, more of them beside each other

__global__ void transpose_kernel(float* out, const float* in, int rows, int cols) {
  // Blocks are numbered along one axis, for a grid has up to 2^31 - 1 blocks in x but only 65535 in y:
  // tile by tile down the columns of `in`, so that blocks that run together write along rows of `out`.
  const int tiles_down = (rows + kTile - 1) / kTile;
  const int col0 = blockIdx.x / tiles_down * kTile;  // the tile's first column and row in `in`
  const int row0 = blockIdx.x % tiles_down * kTile;
  const int x = threadIdx.x;  // this thread's column of the tile

  __shared__ float tile[kTile][kTile + 1];
  float element[kEach] = {};  // in registers, as long as the loops over it are unrolled
  // TODO(1): load this thread's elements, kRows rows apart, where `in` has them. Let nothing but loads
  //          happen in the loop, and unroll it: then no load waits for another (5 lines).
  // BEGIN SOLUTION
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    const int row = row0 + threadIdx.y + k * kRows, col = col0 + x;
    if (row < rows && col < cols) element[k] = in[static_cast<std::size_t>(row) * cols + col];
  }
  // END SOLUTION
  // TODO(2): put them into the tile, write the tile's place of `out`, kEach elements a thread once more,
  //          and let no thread take out what is not in yet (10 lines).
  // BEGIN SOLUTION
#pragma unroll
  for (int k = 0; k < kEach; ++k) tile[threadIdx.y + k * kRows][x] = element[k];
  __syncthreads();  // a thread takes out what another put in

  // The tile's place in `out` is mirrored. Lanes still run along a row: now of `out`.
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    const int y = threadIdx.y + k * kRows;
    const int out_row = col0 + y, out_col = row0 + x;
    if (out_row < cols && out_col < rows)
      out[static_cast<std::size_t>(out_row) * rows + out_col] = tile[x][y];
  }
  // END SOLUTION
}

cudaError_t transpose(float* out, const float* in, int rows, int cols) {
  if (rows == 0 || cols == 0) return cudaSuccess;  // a grid of no blocks would be a launch error
  // TODO(3): launch it: as many blocks as before, of how many threads (2 lines)?
  // BEGIN SOLUTION
  const unsigned tiles_down = (rows + kTile - 1) / kTile, tiles_across = (cols + kTile - 1) / kTile;
  transpose_kernel<<<tiles_down * tiles_across, dim3(kTile, kRows)>>>(out, in, rows, cols);
  // END SOLUTION
  return cudaGetLastError();
}
