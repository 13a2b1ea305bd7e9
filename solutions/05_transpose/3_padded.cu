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
  // BEGIN SOLUTION
  __shared__ float tile[kTile][kTile + 1];
  if (row < rows && col < cols) tile[y][x] = in[static_cast<std::size_t>(row) * cols + col];
  // END SOLUTION
  // TODO(2): take the elements out again, as in rung 2 (5 lines).
  // BEGIN SOLUTION
  __syncthreads();  // a thread takes out what another put in

  // The tile's place in `out` is mirrored. Lanes still run along a row: now of `out`.
  const int out_row = col0 + y, out_col = row0 + x;
  if (out_row < cols && out_col < rows) {
    out[static_cast<std::size_t>(out_row) * rows + out_col] = tile[x][y];
  }
  // END SOLUTION
}

cudaError_t transpose(float* out, const float* in, int rows, int cols) {
  if (rows == 0 || cols == 0) return cudaSuccess;  // a grid of no blocks would be a launch error
  const unsigned tiles_down = (rows + kTile - 1) / kTile, tiles_across = (cols + kTile - 1) / kTile;
  transpose_kernel<<<tiles_down * tiles_across, dim3(kTile, kTile)>>>(out, in, rows, cols);
  return cudaGetLastError();
}
