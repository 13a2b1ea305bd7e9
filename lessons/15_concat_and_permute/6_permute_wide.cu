// Rung 6: 16 bytes an access, over tiles of 64 x 64.
#include "rows.h"
#include "strides.h"

constexpr int kTile = 64;
constexpr int kWide = 4;                // floats in an access of 16 B, the widest a thread has
constexpr int kAcross = kTile / kWide;  // 16 threads take a row of the tile
constexpr int kRows = 32;               // 16 x 32 threads a block
constexpr int kEach = kTile / kRows;    // accesses a thread has in flight: 2 x 16 B

/// Four neighbours of a row of `width` floats, from `col` on. A 16-byte access must start at a multiple
/// of 16 bytes, so rows of any other width go float by float; floats behind the row's end are 0.
template <bool kAligned>
__device__ float4 load(const float* row, unsigned col, unsigned width) {
  if constexpr (kAligned) {
    if (col < width) return *reinterpret_cast<const float4*>(row + col);
    return {};
  } else {
    return {col < width ? row[col] : 0.0f, col + 1 < width ? row[col + 1] : 0.0f,
            col + 2 < width ? row[col + 2] : 0.0f, col + 3 < width ? row[col + 3] : 0.0f};
  }
}

/// The way back; floats behind the row's end are dropped.
template <bool kAligned>
__device__ void store(float* row, unsigned col, unsigned width, float4 value) {
  if constexpr (kAligned) {
    if (col < width) *reinterpret_cast<float4*>(row + col) = value;
  } else {
    if (col < width) row[col] = value.x;
    if (col + 1 < width) row[col + 1] = value.y;
    if (col + 2 < width) row[col + 2] = value.z;
    if (col + 3 < width) row[col + 3] = value.w;
  }
}

/// A permutation and what it permutes.
struct Problem {
  Four extents;  ///< of the input
  Order order;
};

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

template <bool kAligned>
__global__ void __launch_bounds__(kAcross* kRows) turn_kernel(float* out, const float* in, Turn turn) {
  __shared__ float tile[kTile][kTile + 1];
  // Which tile is this block's, and of which pair of indices of the two other axes?
  const unsigned across = (turn.cols + kTile - 1) / kTile, down = (turn.rows + kTile - 1) / kTile;
  const unsigned row0 = blockIdx.x % down * kTile, col0 = blockIdx.x / down % across * kTile;
  const unsigned batch = blockIdx.x / down / across;
  const unsigned b1 = batch % turn.extent[1], b0 = batch / turn.extent[1];
  in += b0 * turn.in_batch[0] + b1 * turn.in_batch[1];
  out += b0 * turn.out_batch[0] + b1 * turn.out_batch[1];
  const unsigned x = threadIdx.x * kWide;  // this thread's four columns of the tile

  float4 element[kEach];  // all loads first: none waits for another
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    // TODO(1): four neighbours of row row0 + y of the input, from column col0 + x on, where
    //          y = threadIdx.y + k * kRows; zeros, {}, if there is no such row (3 lines).
  }
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    float* const row = &tile[threadIdx.y + k * kRows][x];  // one float each: the padding spoilt the alignment
    row[0] = element[k].x, row[1] = element[k].y, row[2] = element[k].z, row[3] = element[k].w;
  }
  __syncthreads();  // a thread takes out what others put in

#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    const unsigned y = threadIdx.y + k * kRows;
    // TODO(2): column y of the tile is row col0 + y of the output, if there is such a row. Gather its floats
    //          x to x + 3, and store them from column row0 + x on (3 lines).
  }
}

/// Launches turn_kernel for each tile of each pair of the two other axes.
template <bool kAligned>
void launch(float* out, const float* in, Turn turn) {
  const unsigned tiles = ((turn.rows + kTile - 1) / kTile) * ((turn.cols + kTile - 1) / kTile);
  const unsigned blocks = tiles * turn.extent[0] * turn.extent[1];
  turn_kernel<kAligned><<<blocks, dim3(kAcross, kRows)>>>(out, in, turn);
}

cudaError_t permute(float* out, const float* in, Shape shape, Order order) {
  const Four extents = extents_of(shape);
  if (elements_of(extents) == 0) return cudaSuccess;
  if (order.axis[kAxes - 1] == kAxes - 1) {  // what is contiguous stays contiguous: nothing to turn around
    permute_rows(out, in, extents, order);
    return cudaGetLastError();
  }
  const Problem problem = collapsed({extents, order});
  const Turn turn = turn_of(problem.extents, problem.order);
  // All other strides are multiples of these two extents: then every row starts at a multiple of 16 bytes.
  if (turn.rows % kWide == 0 && turn.cols % kWide == 0)
    launch<true>(out, in, turn);
  else
    launch<false>(out, in, turn);
  return cudaGetLastError();
}
