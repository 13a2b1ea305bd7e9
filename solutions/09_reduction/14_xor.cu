// Rung 14, exercise: exclusive or. Whatever is associative and has an identity can be reduced; integers do
// not even round.
#include "common/grid.h"
#include "reduction.h"

constexpr int kWarp = 32;           // lanes of a warp
constexpr int kBlock = 16 * kWarp;  // threads a block
constexpr int kBlocksPerMultiprocessor = 4;

__global__ void xor_kernel(unsigned* out, const unsigned* in, std::int64_t n) {
  // TODO(1): all of it, with what you know from rungs 9 and 10: this thread's elements, the warp's by
  //          __shfl_xor_sync, the block's through a place for each warp, and out[blockIdx.x] from one thread.
  //          With what do you begin? (about 14 lines)
  // BEGIN SOLUTION
  __shared__ unsigned partial[kBlock / kWarp];
  const unsigned lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
  const std::int64_t threads = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  unsigned mine = 0;  // x ^ 0 is x
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += threads)
    mine ^= in[i];
  // All lanes have the result afterwards; with shuffles down, only lane 0 would.
  for (int mask = kWarp / 2; mask > 0; mask /= 2) mine ^= __shfl_xor_sync(0xffffffffu, mine, mask);
  if (lane == 0) partial[warp] = mine;
  __syncthreads();  // all warps have left their result before the first one reads them
  if (warp == 0) {
    mine = lane < kBlock / kWarp ? partial[lane] : 0;
    for (int mask = kWarp / 2; mask > 0; mask /= 2) mine ^= __shfl_xor_sync(0xffffffffu, mine, mask);
    if (lane == 0) out[blockIdx.x] = mine;
  }
  // END SOLUTION
}

cudaError_t exclusive_or(unsigned* out, const unsigned* in, std::int64_t n, unsigned* scratch) {
  // TODO(2): two launches, as in rung 9 (3 lines).
  // BEGIN SOLUTION
  const unsigned blocks = ladder::grid_stride_blocks(n, kBlock, kBlocksPerMultiprocessor);
  xor_kernel<<<blocks, kBlock>>>(scratch, in, n);
  xor_kernel<<<1, kBlock>>>(out, scratch, blocks);
  // END SOLUTION
  return cudaGetLastError();
}
