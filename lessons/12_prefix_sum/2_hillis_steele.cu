// Rung 2: a block a row; its threads double the reach of their sums step by step (Hillis and Steele).
#include "columns.h"
#include "prefix_sum.h"

constexpr int kBlock = 1024;  // threads a block, the most there can be

struct Sums {
  int before;  ///< of all that stands before, in the block
  int total;   ///< of the whole block
};

/// Called by all threads of the block, each with its value.
__device__ Sums scan_block(int value) {
  __shared__ int places[2][kBlock];  // what a step reads, and what it writes
  const int t = threadIdx.x;
  int now = 0;  // which of the two holds the sums so far
  // TODO(1): put the value in. Then, in steps of offset 1, 2, 4, ... below kBlock, every thread writes to the
  //          other array its sum so far plus the one `offset` places to its left, if there is one, and `now`
  //          changes sides. Where are the barriers (7 lines)?
  return {places[now][t] - value, places[now][kBlock - 1]};
}

/// A block takes a row, kBlock elements at a time.
__global__ void rows_kernel(int* out, const int* in, std::int64_t cols, Kind kind) {
  in += blockIdx.x * cols;
  out += blockIdx.x * cols;
  // TODO(2): go along the row, kBlock elements at a time, with the sum of all earlier pieces in a register.
  //          Threads behind the row's end take part with a 0. Write what `kind` wants. What must not happen
  //          before all threads have read their sums (9 lines)?
}

cudaError_t prefix_sum(int* out, const int* in, std::int64_t rows, std::int64_t cols, Kind kind,
                       Direction direction, unsigned long long*) {
  if (rows == 0 || cols == 0) return cudaSuccess;
  if (direction == Direction::down_columns) return columns_prefix_sum(out, in, rows, cols, kind);
  rows_kernel<<<static_cast<unsigned>(rows), kBlock>>>(out, in, cols, kind);
  return cudaGetLastError();
}
