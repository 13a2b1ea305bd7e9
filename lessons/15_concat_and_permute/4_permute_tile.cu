// Rung 4: through shared memory: read along the input's last axis, write along the output's.
#include "rows.h"
#include "turn.h"

constexpr int kTile = 32;             // a row of the tile is 32 x 4 B = one line of 128 B
constexpr int kEach = 4;              // elements a thread moves: its loads are under way together
constexpr int kRows = kTile / kEach;  // 32 x 8 threads a block

__global__ void turn_kernel(float* out, const float* in, Turn turn) {
  __shared__ float tile[kTile][kTile + 1];  // a column of the tile lies in 32 different banks
  // Which tile is this block's, and of which pair of indices of the two other axes?
  const unsigned across = (turn.cols + kTile - 1) / kTile, down = (turn.rows + kTile - 1) / kTile;
  // Down the columns first: blocks that run together write along rows of the output.
  const unsigned row0 = blockIdx.x % down * kTile, col0 = blockIdx.x / down % across * kTile;
  const unsigned batch = blockIdx.x / down / across;
  const unsigned b1 = batch % turn.extent[1], b0 = batch / turn.extent[1];
  in += b0 * turn.in_batch[0] + b1 * turn.in_batch[1];
  out += b0 * turn.out_batch[0] + b1 * turn.out_batch[1];
  const unsigned x = threadIdx.x;  // this thread's column of the tile

  float element[kEach] = {};  // all loads first: none waits for another
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    const unsigned y = threadIdx.y + k * kRows;
    // TODO(1): element (row0 + y, col0 + x) of the input goes to element[k], if there is one. Rows of the
    //          input are turn.in_stride apart, columns are neighbours (2 lines).
  }
#pragma unroll
  for (int k = 0; k < kEach; ++k) tile[threadIdx.y + k * kRows][x] = element[k];
  __syncthreads();  // a thread takes out what others put in

#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    const unsigned y = threadIdx.y + k * kRows;
    // TODO(2): write column col0 + y of the tile, which is a row of the output: rows of the output are
    //          turn.out_stride apart. x counts along that row (2 lines).
  }
}

/// Launches turn_kernel for each tile of each pair of the two other axes.
void launch(float* out, const float* in, Turn turn) {
  const unsigned tiles = ((turn.rows + kTile - 1) / kTile) * ((turn.cols + kTile - 1) / kTile);
  const unsigned blocks = tiles * turn.extent[0] * turn.extent[1];
  turn_kernel<<<blocks, dim3(kTile, kRows)>>>(out, in, turn);
}

cudaError_t permute(float* out, const float* in, Shape shape, Order order) {
  const Four extents = extents_of(shape);
  if (elements_of(extents) == 0) return cudaSuccess;
  if (order.axis[kAxes - 1] == kAxes - 1)  // what is contiguous stays contiguous: nothing to turn around
    permute_rows(out, in, extents, order);
  else
    launch(out, in, turn_of({extents, order}));
  return cudaGetLastError();
}
