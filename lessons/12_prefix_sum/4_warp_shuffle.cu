// Rung 4: lanes hand each other their sums, register to register; three barriers take the place of a dozen.
#include "columns.h"
#include "prefix_sum.h"

constexpr unsigned kWarp = 32;          // lanes of a warp
constexpr unsigned kWarps = 32;         // warps a block: as many as lanes, so one warp can scan their sums
constexpr int kBlock = kWarp * kWarps;  // 1024 threads
constexpr unsigned kAllLanes = 0xffffffff;  // a bit for each lane of the warp

struct Sums {
  int before;  ///< of all that stands before, in the block
  int total;   ///< of the whole block
};

/// The sum of this lane's value and those of all lower lanes of the warp.
__device__ int scan_warp(int value) {
  // TODO(1): Hillis and Steele within the warp: for offset 1, 2, ... 16, __shfl_up_sync(kAllLanes, value,
  //          offset) fetches the sum of the lane `offset` below. What do the lowest lanes get, and what may
  //          they do with it (6 lines, one of them #pragma unroll)?
  return value;
}

/// Called by all threads of the block, each with the sum of its warp.
__device__ Sums scan_warps(int sum) {
  __shared__ int up_to_warp[kWarps];  // first the sum of each warp, then of all warps up to it
  const unsigned lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
  // TODO(2): each warp leaves its sum, and the first warp turns these sums into sums up to each warp, with
  //          scan_warp(). Two barriers of the three are here (4 lines).
  return {up_to_warp[warp] - sum, up_to_warp[kWarps - 1]};
}

/// Called by all threads of the block, each with its value.
__device__ Sums scan_block(int value) {
  const int in_warp = scan_warp(value);
  const Sums warps = scan_warps(__shfl_sync(kAllLanes, in_warp, kWarp - 1));
  return {warps.before + in_warp - value, warps.total};
}

/// A block takes a row, kBlock elements at a time.
__global__ void rows_kernel(int* out, const int* in, std::int64_t cols, Kind kind) {
  in += blockIdx.x * cols;
  out += blockIdx.x * cols;
  // TODO(3): as in rung 2: the row in pieces of kBlock, with the sum of all earlier ones in a register (9
  //          lines). Does this scan_block() still need the barrier at the end of a piece?
}

cudaError_t prefix_sum(int* out, const int* in, std::int64_t rows, std::int64_t cols, Kind kind,
                       Direction direction, unsigned long long*) {
  if (rows == 0 || cols == 0) return cudaSuccess;
  if (direction == Direction::down_columns) return columns_prefix_sum(out, in, rows, cols, kind);
  rows_kernel<<<static_cast<unsigned>(rows), kBlock>>>(out, in, cols, kind);
  return cudaGetLastError();
}
