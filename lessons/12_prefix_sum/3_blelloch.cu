// Rung 3: a tree of sums, up and down again: far fewer additions (Blelloch).
#include "columns.h"
#include "prefix_sum.h"

constexpr int kBlock = 1024;  // threads a block, the most there can be

struct Sums {
  int before;  ///< of all that stands before, in the block
  int total;   ///< of the whole block
};

/// Called by all threads of the block, each with its value.
__device__ Sums scan_block(int value) {
  __shared__ int places[kBlock];  // the tree; a node lives in the rightmost place of its leaves
  const int t = threadIdx.x;
  places[t] = value;
  __syncthreads();  // all leaves are there
  // TODO(1): up, with stride 1, 2, 4, ...: node t of a level ends at place 2 * stride * (t + 1) - 1, if there
  //          is such a place, and takes in its left child, `stride` places before (5 lines).
  const int total = places[kBlock - 1];
  // TODO(2): the root becomes 0, the sum of what is before it. Down, with stride kBlock / 2, ... 2, 1: each
  //          node holds the sum of all before it. Its left child has the same before it; its right child has
  //          that and the left child's sum, which is still in the left child's place (12 lines). A barrier
  //          ends each level. Another one stands before the root is overwritten; and one behind that, unless
  //          the thread that stores the 0 is the one that reads it.
  return {places[t], total};
}

/// A block takes a row, kBlock elements at a time.
__global__ void rows_kernel(int* out, const int* in, std::int64_t cols, Kind kind) {
  in += blockIdx.x * cols;
  out += blockIdx.x * cols;
  int done = 0;  // the sum of all earlier pieces of the row; the same in every thread
  for (std::int64_t first = 0; first < cols; first += kBlock) {  // as often in every thread: barriers inside
    const std::int64_t i = first + threadIdx.x;
    const int value = i < cols ? in[i] : 0;
    const Sums sums = scan_block(value);
    if (i < cols) out[i] = done + sums.before + (kind == Kind::inclusive ? value : 0);
    done += sums.total;
    __syncthreads();  // all have read their sums before the next piece overwrites them
  }
}

cudaError_t prefix_sum(int* out, const int* in, std::int64_t rows, std::int64_t cols, Kind kind,
                       Direction direction, unsigned long long*) {
  if (rows == 0 || cols == 0) return cudaSuccess;
  if (direction == Direction::down_columns) return columns_prefix_sum(out, in, rows, cols, kind);
  rows_kernel<<<static_cast<unsigned>(rows), kBlock>>>(out, in, cols, kind);
  return cudaGetLastError();
}
