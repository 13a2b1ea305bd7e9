// Rung 4: through shared memory: read along the input's last axis, write along the output's.
#include "rows.h"
#include "strides.h"

constexpr int kTile = 32;  // one warp reads one tile row: 32 lanes x 4 B = one line of 128 B
constexpr int kRows = 8;   // 32 x 8 threads; each thread moves kTile / kRows elements

/// What a block has to know to turn tiles around: a transpose of `rows` x `cols`, once for each pair of the
/// two other axes.
struct Turn {
  unsigned rows, cols;             ///< extents of the output's last axis and of the input's last axis
  unsigned in_stride, out_stride;  ///< elements from row to row of the input, and of the output
  unsigned extent[2], in_batch[2], out_batch[2];  ///< the other two axes: extents, and strides on either side
};

/// @param extents  of the input; order.axis[3] is not 3
Turn turn_of(Four extents, Order order) {
  const Four in = strides_of(extents), to = strides_of(permuted(extents, order));
  Four out;  // strides in the output, by axis of the input
  for (int k = 0; k < kAxes; ++k) out.at[order.axis[k]] = to.at[k];
  const int last = order.axis[kAxes - 1];
  Turn turn{extents.at[last], extents.at[kAxes - 1], in.at[last], out.at[kAxes - 1], {}, {}, {}};
  for (int axis = 0, b = 0; axis < kAxes - 1; ++axis) {
    if (axis == last) continue;
    turn.extent[b] = extents.at[axis];
    turn.in_batch[b] = in.at[axis];
    turn.out_batch[b++] = out.at[axis];
  }
  return turn;
}

__global__ void turn_kernel(float* out, const float* in, Turn turn) {
  __shared__ float tile[kTile][kTile + 1];  // a column of the tile lies in 32 different banks
  // Which tile is this block's, and of which pair of indices of the two other axes?
  const unsigned across = (turn.cols + kTile - 1) / kTile, down = (turn.rows + kTile - 1) / kTile;
  const unsigned col0 = blockIdx.x % across * kTile, row0 = blockIdx.x / across % down * kTile;
  const unsigned batch = blockIdx.x / across / down;
  const unsigned b1 = batch % turn.extent[1], b0 = batch / turn.extent[1];
  in += b0 * turn.in_batch[0] + b1 * turn.in_batch[1];
  out += b0 * turn.out_batch[0] + b1 * turn.out_batch[1];

  for (unsigned y = threadIdx.y; y < kTile; y += kRows) {
    // TODO(1): element (row0 + y, col0 + threadIdx.x) of the input goes to tile[y][threadIdx.x], if there
    //          is one. Rows of the input are turn.in_stride apart, columns are neighbours (2 lines).
    // BEGIN SOLUTION
    const unsigned row = row0 + y, col = col0 + threadIdx.x;
    if (row < turn.rows && col < turn.cols) tile[y][threadIdx.x] = in[row * turn.in_stride + col];
    // END SOLUTION
  }
  __syncthreads();  // a thread takes out what others put in
  for (unsigned y = threadIdx.y; y < kTile; y += kRows) {
    // TODO(2): write column col0 + y of the tile, which is a row of the output: rows of the output are
    //          turn.out_stride apart. threadIdx.x counts along that row (2 lines).
    // BEGIN SOLUTION
    const unsigned row = row0 + threadIdx.x, col = col0 + y;
    if (row < turn.rows && col < turn.cols) out[col * turn.out_stride + row] = tile[threadIdx.x][y];
    // END SOLUTION
  }
}

/// Launches turn_kernel for each tile of each pair of the two other axes.
void launch(float* out, const float* in, Turn turn) {
  const unsigned tiles = ((turn.rows + kTile - 1) / kTile) * ((turn.cols + kTile - 1) / kTile);
  turn_kernel<<<tiles * turn.extent[0] * turn.extent[1], dim3(kTile, kRows)>>>(out, in, turn);
}

cudaError_t permute(float* out, const float* in, Shape shape, Order order) {
  const Four extents = extents_of(shape);
  if (elements_of(extents) == 0) return cudaSuccess;
  if (order.axis[kAxes - 1] == kAxes - 1)  // what is contiguous stays contiguous: nothing to turn around
    permute_rows(out, in, extents, order);
  else
    launch(out, in, turn_of(extents, order));
  return cudaGetLastError();
}
