// The easy direction, done: a thread sums up a column. Rungs 2 to 11 use it as it is.
#pragma once

#include "prefix_sum.h"

/// Neighbouring threads have neighbouring columns, so a warp reads 32 neighbours of a row at a time.
static __global__ void columns_kernel(int* out, const int* in, std::int64_t rows, std::int64_t cols,
                                      Kind kind) {
  constexpr int kInFlight = 8;  // loads under way before the first is needed
  const std::int64_t col = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (col >= cols) return;
  int sum = 0;
  for (std::int64_t row0 = 0; row0 < rows; row0 += kInFlight) {
    int value[kInFlight];
#pragma unroll
    for (int k = 0; k < kInFlight; ++k) value[k] = row0 + k < rows ? in[(row0 + k) * cols + col] : 0;
#pragma unroll
    for (int k = 0; k < kInFlight; ++k) {
      if (row0 + k < rows) out[(row0 + k) * cols + col] = kind == Kind::inclusive ? sum + value[k] : sum;
      sum += value[k];
    }
  }
}

inline cudaError_t columns_prefix_sum(int* out, const int* in, std::int64_t rows, std::int64_t cols,
                                      Kind kind) {
  constexpr int kBlock = 64;  // small blocks: there may be few columns, and every multiprocessor wants some
  columns_kernel<<<static_cast<unsigned>((cols + kBlock - 1) / kBlock), kBlock>>>(out, in, rows, cols, kind);
  return cudaGetLastError();
}
