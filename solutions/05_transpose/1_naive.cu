// Rung 1: one thread an element, straight from its place to its new place.
#include "transpose.h"

constexpr int kTile = 32;  // a block moves 32 x 32 elements, one a thread; a row of them is a line of 128 B

__global__ void transpose_kernel(float* out, const float* in, int rows, int cols) {
  // Blocks are numbered along one axis, for a grid has up to 2^31 - 1 blocks in x but only 65535 in y:
  // tile by tile down the columns of `in`, so that blocks that run together write along rows of `out`.
  const int tiles_down = (rows + kTile - 1) / kTile;
  const int col0 = blockIdx.x / tiles_down * kTile;  // the tile's first column and row in `in`
  const int row0 = blockIdx.x % tiles_down * kTile;

  // TODO(1): thread (x, y) of the block has row y and column x of the tile. Move its element, if the matrix
  //          reaches so far (5 lines). rows * cols may exceed what an int holds.
  // BEGIN SOLUTION
  const int x = threadIdx.x, y = threadIdx.y;  // this thread's place in the tile
  const int row = row0 + y, col = col0 + x;    // neighbours in a warp: next columns
  if (row < rows && col < cols) {
    out[static_cast<std::size_t>(col) * rows + row] = in[static_cast<std::size_t>(row) * cols + col];
  }
  // END SOLUTION
}

cudaError_t transpose(float* out, const float* in, int rows, int cols) {
  if (rows == 0 || cols == 0) return cudaSuccess;  // a grid of no blocks would be a launch error
  // TODO(2): launch a block of kTile x kTile threads for each tile, all along the grid's x (2 lines).
  // BEGIN SOLUTION
  const unsigned tiles_down = (rows + kTile - 1) / kTile, tiles_across = (cols + kTile - 1) / kTile;
  transpose_kernel<<<tiles_down * tiles_across, dim3(kTile, kTile)>>>(out, in, rows, cols);
  // END SOLUTION
  return cudaGetLastError();
}
