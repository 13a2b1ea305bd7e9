// Rung 3: pad the tile so that a column of it lies in 32 different banks.
#include "transpose.h"

constexpr int kTile = 32;  // a block moves 32 x 32 elements, one a thread; a row of them is a line of 128 B

__global__ void transpose_kernel(float* out, const float* in, int rows, int cols) {
  // Blocks are numbered along one axis, for a grid has up to 2^31 - 1 blocks in x but only 65535 in y:
  // tile by tile down the columns of `in`, so that blocks that run together write along rows of `out`.
  const int tiles_down = (rows + kTile - 1) / kTile;
  const int col0 = blockIdx.x / tiles_down * kTile;  // the tile's first column and row in `in`
  const int row0 = blockIdx.x % tiles_down * kTile;

  const int x = threadIdx.x, y = threadIdx.y;  // this thread's place in the tile
  const int row = row0 + y, col = col0 + x;    // neighbours in a warp: next columns
  // TODO(1): declare the tile so that tile[0][c], tile[1][c], ... tile[31][c] lie in different banks; word
  //          w of shared memory is in bank w % 32. Fill it as in rung 2 (2 lines).
  // TODO(2): take the elements out again, as in rung 2 (5 lines).
}

cudaError_t transpose(float* out, const float* in, int rows, int cols) {
  if (rows == 0 || cols == 0) return cudaSuccess;  // a grid of no blocks would be a launch error
  const unsigned tiles_down = (rows + kTile - 1) / kTile, tiles_across = (cols + kTile - 1) / kTile;
  transpose_kernel<<<tiles_down * tiles_across, dim3(kTile, kTile)>>>(out, in, rows, cols);
  return cudaGetLastError();
}
