// Rung 13, exercise: the mean. It is a sum that is divided once, at the end; means of parts are no help,
// since the parts are not all of the same length.
#include "common/grid.h"
#include "reduction.h"

constexpr int kWarp = 32;           // lanes of a warp
constexpr int kBlock = 16 * kWarp;  // threads a block
constexpr int kBlocksPerMultiprocessor = 4;

/// The sum of a block's values, in thread 0.
__device__ double fold_block(double value) {
  __shared__ double partial[kBlock / kWarp];
  const unsigned lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
  // TODO(1): as in rung 10: the warp by shuffles, the warps through shared memory, the last step by
  //          the first warp. Shuffles take a double as they take a float (8 lines).
  // BEGIN SOLUTION
  for (int offset = kWarp / 2; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffffu, value, offset);
  if (lane == 0) partial[warp] = value;
  __syncthreads();  // all warps have left their sum before the first one reads them
  if (warp == 0) {
    value = lane < kBlock / kWarp ? partial[lane] : 0.0;
    for (int offset = kWarp / 2; offset > 0; offset /= 2)
      value += __shfl_down_sync(0xffffffffu, value, offset);
  }
  // END SOLUTION
  return value;
}

/// Each block's sum into partial[blockIdx.x]. In double precision: a float sum of millions has no digit left.
__global__ void sum_kernel(double* partial, const float* in, std::int64_t n) {
  const std::int64_t threads = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  double mine = 0;
  // TODO(2): add up this thread's elements, striding over the input as rung 9 does; fold the block's; store
  //          it (4 lines).
  // BEGIN SOLUTION
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += threads)
    mine += in[i];
  mine = fold_block(mine);
  if (threadIdx.x == 0) partial[blockIdx.x] = mine;
  // END SOLUTION
}

/// One block: the mean from the blocks' sums.
__global__ void mean_kernel(float* out, const double* partial, unsigned blocks, std::int64_t n) {
  double mine = 0;
  // TODO(3): add up the blocks' sums, which may be more than threads; fold; and let one thread store the
  //          mean (3 lines).
  // BEGIN SOLUTION
  for (unsigned i = threadIdx.x; i < blocks; i += kBlock) mine += partial[i];
  mine = fold_block(mine);
  if (threadIdx.x == 0) out[0] = static_cast<float>(mine / static_cast<double>(n));
  // END SOLUTION
}

cudaError_t mean(float* out, const float* in, std::int64_t n, double* scratch) {
  // TODO(4): the two launches (3 lines); ladder::grid_stride_blocks is in common/grid.h.
  // BEGIN SOLUTION
  const unsigned blocks = ladder::grid_stride_blocks(n, kBlock, kBlocksPerMultiprocessor);
  sum_kernel<<<blocks, kBlock>>>(scratch, in, n);
  mean_kernel<<<1, kBlock>>>(out, scratch, blocks, n);
  // END SOLUTION
  return cudaGetLastError();
}
