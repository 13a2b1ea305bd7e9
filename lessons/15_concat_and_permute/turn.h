// What there is to turn around when axes are permuted: matrices, and where each of them lies. Given.
#pragma once

#include "strides.h"

/// A permutation and what it permutes.
struct Problem {
  Four extents;  ///< of the input
  Order order;
};

/// What a block has to know to turn tiles around: a transpose of `rows` x `cols`, once for each pair of the
/// two other axes.
struct Turn {
  unsigned rows, cols;             ///< extents of the output's last axis and of the input's last axis
  unsigned in_stride, out_stride;  ///< elements from row to row of the input, and of the output
  unsigned extent[2], in_batch[2], out_batch[2];  ///< the other two axes: extents, and strides on either side
};

/// @param problem  its order.axis[3] is not 3
inline Turn turn_of(Problem problem) {
  const auto [extents, order] = problem;
  const Four in = strides_of(extents), to = strides_of(permuted(extents, order));
  Four out;  // strides in the output, by axis of the input
  for (int k = 0; k < kAxes; ++k) out.at[order.axis[k]] = to.at[k];
  const int last = order.axis[kAxes - 1];
  Turn turn{extents.at[last], extents.at[kAxes - 1], in.at[last], out.at[kAxes - 1], {}, {}, {}};
  for (int axis = 0, b = 0; axis < kAxes - 1 && b < 2; ++axis) {  // of a wrong order there could be three
    if (axis == last) continue;
    turn.extent[b] = extents.at[axis];
    turn.in_batch[b] = in.at[axis];
    turn.out_batch[b++] = out.at[axis];
  }
  return turn;
}
