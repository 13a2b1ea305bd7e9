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

  // TODO(1): element (row0 + y, col0 + x) of the input, if there is one, for kEach rows y that are kRows
  //          apart. Rows of the input are turn.in_stride apart, columns are neighbours. All loads first, so
  //          that none waits for another (7 lines).
  // TODO(2): put them into the tile; then write columns col0 + y of the tile, which are rows of the output:
  //          those are turn.out_stride apart, and x counts along them. What has to come between (9 lines)?
}

/// Launches turn_kernel for each tile of each pair of the two other axes.
void launch(float* out, const float* in, Turn turn) {
  // TODO(3): how many blocks does it take: tiles of kTile x kTile of a matrix of turn.rows x turn.cols, for
  //          each pair of indices of the other two axes (3 lines)?
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
