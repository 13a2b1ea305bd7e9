// Permutations that leave the last axis in its place: whole rows move, contiguous on both sides. Given.
#pragma once

#include "strides.h"

/// A warp a row.
/// @param extents  of the output
/// @param strides  elements in the input from one index of the output's axis to the next
__global__ void rows_kernel(float* out, const float* in, Four extents, Four strides, unsigned rows) {
  const unsigned row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  const unsigned j2 = row % extents.at[2], rest = row / extents.at[2];
  const unsigned j1 = rest % extents.at[1], j0 = rest / extents.at[1];
  const float* const from = in + j0 * strides.at[0] + j1 * strides.at[1] + j2 * strides.at[2];
  float* const to = out + row * extents.at[3];
  for (unsigned i = threadIdx.x; i < extents.at[3]; i += blockDim.x) to[i] = from[i];
}

/// @param extents  of the input; order.axis[3] is 3
inline void permute_rows(float* out, const float* in, Four extents, Order order) {
  const Four to = permuted(extents, order);
  const unsigned rows = to.at[0] * to.at[1] * to.at[2];
  const dim3 block(32, 8);
  rows_kernel<<<(rows + block.y - 1) / block.y, block>>>(out, in, to, permuted(strides_of(extents), order),
                                                         rows);
}
