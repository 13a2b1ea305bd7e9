// Rung 5: axes that stay together are one axis, so that tiles are full even if pictures are small.
#include "rows.h"
#include "turn.h"

constexpr int kTile = 32;             // a row of the tile is 32 x 4 B = one line of 128 B
constexpr int kEach = 4;              // elements a thread moves: its loads are under way together
constexpr int kRows = kTile / kEach;  // 32 x 8 threads a block

/// Axes that are neighbours in the input, and neighbours in the same order in the output, are one axis:
/// {0, 2, 3, 1} of N x C x H x W is {0, 1, 3, 2} of 1 x N x C x HW.
Problem collapsed(Problem problem) {
  int first[kAxes];        // of each group of axes that stay together, in the output's order: its first axis
  unsigned extent[kAxes];  // and the product of its extents
  int groups = 0;
  // TODO(1): go through the output's axes. If an axis follows, in the input too, upon the one before it in
  //          the output, it joins the last group, whose extent grows. If not, it is the first of a new group
  //          (9 lines).
  Problem merged;
  const int spare = kAxes - groups;  // axes of extent 1 fill up the front
  for (int k = 0; k < spare; ++k) {
    merged.extents.at[k] = 1;
    merged.order.axis[k] = k;
  }
  // TODO(2): a group's place among the input's axes is behind the spare ones and behind the groups whose
  //          first axis has a lower number. Fill in order and extents (6 lines).
  return merged;
}

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
    const unsigned row = row0 + y, col = col0 + x;
    if (row < turn.rows && col < turn.cols) element[k] = in[row * turn.in_stride + col];
  }
#pragma unroll
  for (int k = 0; k < kEach; ++k) tile[threadIdx.y + k * kRows][x] = element[k];
  __syncthreads();  // a thread takes out what others put in

#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    const unsigned y = threadIdx.y + k * kRows;
    const unsigned row = row0 + x, col = col0 + y;
    if (row < turn.rows && col < turn.cols) out[col * turn.out_stride + row] = tile[x][y];
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
    launch(out, in, turn_of(collapsed({extents, order})));
  return cudaGetLastError();
}
