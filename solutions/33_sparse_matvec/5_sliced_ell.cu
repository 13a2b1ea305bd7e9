// Rung 5: sliced ELL: a thread a row again, but entries are stored such that a warp's lanes read neighbours.
#include "sparse_matvec.h"

constexpr int kBlock = 128;  // threads a block
constexpr int kAhead = 4;    // entries of a thread that are under way together

__global__ void sell_matvec_kernel(float* y, Sell a, const float* x) {
  const int place = static_cast<int>(blockIdx.x) * kBlock + static_cast<int>(threadIdx.x);
  if (place / kSlice >= (a.rows - 1) / kSlice + 1) return;
  int first = 0, width = 0;
  // TODO(1): where this row's first place is in the arrays, and how many places the slice has a row (3
  //          lines).
  // BEGIN SOLUTION
  const int begin = a.slice_start[place / kSlice];
  first = begin + place % kSlice;
  width = (a.slice_start[place / kSlice + 1] - begin) / kSlice;
  // END SOLUTION
  float sum = 0;
  for (int j = 0; j < width; j += kAhead) {
    // TODO(2): load kAhead columns and values, kNone behind the slice's width, in a loop by itself; then add
    //          up the products of those that are entries: kNone is no index (11 lines).
    // BEGIN SOLUTION
    int column[kAhead];
    float value[kAhead];
#pragma unroll
    for (int k = 0; k < kAhead; ++k) {
      const int i = first + (j + k) * kSlice;
      column[k] = j + k < width ? __ldcs(a.columns + i) : kNone;
      value[k] = j + k < width ? __ldcs(a.values + i) : 0;
    }
#pragma unroll
    for (int k = 0; k < kAhead; ++k)
      if (column[k] != kNone) sum += value[k] * x[column[k]];
    // END SOLUTION
  }
  // TODO(3): the row of y that this place has, if any (2 lines).
  // BEGIN SOLUTION
  const int row = a.order[place];
  if (row != kNone) y[row] = sum;
  // END SOLUTION
}

cudaError_t sell_matvec(float* y, const Sell& a, const float* x) {
  if (a.rows == 0) return cudaSuccess;
  sell_matvec_kernel<<<(a.rows - 1) / kBlock + 1, kBlock>>>(y, a, x);
  return cudaGetLastError();
}
