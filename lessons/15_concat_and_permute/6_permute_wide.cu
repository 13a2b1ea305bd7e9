// Rung 6: 16 bytes an access.
#include "rows.h"
#include "turn.h"
#include "wide.h"

constexpr int kTile = 32;               // a row of the tile is 32 x 4 B = one line of 128 B
constexpr int kWide = 4;                // floats in an access of 16 B, the widest a thread has
constexpr int kEach = 2;                // such accesses a thread: their loads are under way together
constexpr int kRows = kTile / kEach;    // 8 x 16 threads a block
constexpr int kAcross = kTile / kWide;  // threads that take a row of the tile

/// Axes that are neighbours in the input, and neighbours in the same order in the output, are one axis:
/// {0, 2, 3, 1} of N x C x H x W is {0, 1, 3, 2} of 1 x N x C x HW.
Problem collapsed(Problem problem) {
  int first[kAxes];        // of each group of axes that stay together, in the output's order: its first axis
  unsigned extent[kAxes];  // and the product of its extents
  int groups = 0;
  for (int k = 0; k < kAxes; ++k) {
    const int axis = problem.order.axis[k];
    const bool joins = k > 0 && axis == problem.order.axis[k - 1] + 1;
    if (!joins) {
      first[groups] = axis;
      extent[groups++] = 1;
    }
    extent[groups - 1] *= problem.extents.at[axis];
  }
  Problem merged;
  const int spare = kAxes - groups;  // axes of extent 1 fill up the front
  for (int k = 0; k < spare; ++k) {
    merged.extents.at[k] = 1;
    merged.order.axis[k] = k;
  }
  for (int g = 0; g < groups; ++g) {
    int place = spare;  // where the group stands among the input's axes: behind those with lower numbers
    for (int other = 0; other < groups; ++other) place += first[other] < first[g];
    merged.order.axis[spare + g] = place;
    merged.extents.at[place] = extent[g];
  }
  return merged;
}

template <bool kAligned>
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
  const unsigned x = threadIdx.x * kWide;  // the first of this thread's columns of the tile

  // TODO(1): four neighbours of row row0 + y of the input, from column col0 + x on, if there is such a row,
  //          for kEach rows y that are kRows apart: load() of wide.h (7 lines).
  // TODO(2): into the tile, float by float, for the padding spoilt the alignment; then column y of the tile
  //          is row col0 + y of the output, if there is such a row. Gather its floats x to x + 3, and store()
  //          them from column row0 + x on (13 lines).
}

/// Launches turn_kernel for each tile of each pair of the two other axes.
void launch(float* out, const float* in, Turn turn) {
  const unsigned tiles = ((turn.rows + kTile - 1) / kTile) * ((turn.cols + kTile - 1) / kTile);
  const unsigned blocks = tiles * turn.extent[0] * turn.extent[1];
  // All other strides are multiples of these two extents: then every row starts at a multiple of 16 bytes.
  // TODO(3): when does every row of both sides start at a multiple of 16 bytes and hold whole vectors? Choose
  //          the kernel accordingly and launch it (3 lines).
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
