// Rung 10: lanes of a warp hand values to each other directly, register to register.
#include "common/grid.h"
#include "operators.h"
#include "reduction.h"

constexpr int kWarp = 32;                     // lanes of a warp
constexpr int kBlock = 256;                   // threads a block: eight warps
constexpr int kBlocksPerMultiprocessor = 32;  // several times what fits: whoever is done first takes more
constexpr int kPerThread = 8;                 // elements at least: for less, fewer blocks will do

/// The combination of a warp's values, in lane 0.
template <class Op>
__device__ float fold_warp(float value) {
  // TODO(1): in steps of 16, 8, ... 1, combine value with that of the lane so many further on (3 lines).
  //          __shfl_down_sync(mask, value, offset) gives each lane the value of the lane `offset` further
  //          on, and the last `offset` lanes their own. The mask has a bit for each lane that takes part,
  //          0xffffffff for all.
  return value;
}

template <class Op>
__global__ void reduce_kernel(float* out, const float* in, std::int64_t n) {
  __shared__ float partial[kBlock / kWarp];  // a place for each warp
  const unsigned t = threadIdx.x;
  float mine = Op::identity();
  const std::int64_t threads = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + t;
  for (std::int64_t i = thread; i < n; i += threads) mine = Op::combine(mine, in[i]);

  // TODO(2): fold each warp; let every lane 0 leave its result in the place of its warp; wait; let the
  //          first warp fold those; and let one thread store the block's (6 lines).
}

template <class Op>
cudaError_t reduce_with(float* out, const float* in, std::int64_t n, float* scratch) {
  const unsigned blocks = ladder::grid_stride_blocks(n / kPerThread, kBlock, kBlocksPerMultiprocessor);
  reduce_kernel<Op><<<blocks, kBlock>>>(scratch, in, n);
  reduce_kernel<Op><<<1, kBlock>>>(out, scratch, blocks);
  return cudaGetLastError();
}

cudaError_t reduce(float* out, const float* in, std::int64_t n, Operation operation, float* scratch) {
  return operation == Operation::sum ? reduce_with<Sum>(out, in, n, scratch)
                                     : reduce_with<Max>(out, in, n, scratch);
}
