// Rung 10: lanes of a warp hand values to each other directly, register to register.
#include <algorithm>

#include "operators.h"
#include "reduction.h"

constexpr int kBlock = 256;                  // threads a block: eight warps
constexpr int kBlocksPerMultiprocessor = 8;  // 8 x 256 = 2048 threads, all that a multiprocessor holds
constexpr std::int64_t kMostBlocks = 4096;   // scratch is sure to have room for so many
constexpr int kWarp = 32;
constexpr unsigned kAllLanes = 0xffffffff;  // a shuffle names the lanes that take part

/// The blocks to launch: enough to fill the GPU, but none without an element, and one at least.
inline std::int64_t count_blocks(std::int64_t n) {
  int device = 0, multiprocessors = 1;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  const std::int64_t resident = std::int64_t{multiprocessors} * kBlocksPerMultiprocessor;
  return std::clamp<std::int64_t>((n + kBlock - 1) / kBlock, 1, std::min(resident, kMostBlocks));
}

/// The combination of a warp's values, in lane 0.
template <class Op>
__device__ float fold_warp(float value) {
  // TODO(1): in steps of 16, 8, ... 1, combine value with that of the lane so many further on, which
  //          __shfl_down_sync fetches. All lanes must take part (2 lines).
  // BEGIN SOLUTION
  for (int offset = kWarp / 2; offset > 0; offset /= 2)
    value = Op::combine(value, __shfl_down_sync(kAllLanes, value, offset));
  // END SOLUTION
  return value;
}

/// The combination of a block's values, in thread 0.
template <class Op>
__device__ float fold_block(float value) {
  // TODO(2): fold each warp; let every lane 0 leave its result in a shared array with a place for each
  //          warp; wait; and let the first warp fold those (7 lines).
  // BEGIN SOLUTION
  __shared__ float partial[kBlock / kWarp];
  const unsigned lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
  value = fold_warp<Op>(value);
  if (lane == 0) partial[warp] = value;
  __syncthreads();  // all warps have left their result before the first one reads them
  if (warp == 0) value = fold_warp<Op>(lane < kBlock / kWarp ? partial[lane] : Op::identity());
  // END SOLUTION
  return value;
}

template <class Op>
__global__ void reduce_kernel(float* out, const float* in, std::int64_t n) {
  float mine = Op::identity();
  const std::int64_t threads = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += threads)
    mine = Op::combine(mine, in[i]);
  mine = fold_block<Op>(mine);
  if (threadIdx.x == 0) out[blockIdx.x] = mine;
}

template <class Op>
cudaError_t reduce_with(float* out, const float* in, std::int64_t n, float* scratch) {
  const std::int64_t blocks = count_blocks(n);
  reduce_kernel<Op><<<static_cast<unsigned>(blocks), kBlock>>>(scratch, in, n);
  reduce_kernel<Op><<<1, kBlock>>>(out, scratch, blocks);
  return cudaGetLastError();
}

cudaError_t reduce(float* out, const float* in, std::int64_t n, Operation operation, float* scratch) {
  return operation == Operation::sum ? reduce_with<Sum>(out, in, n, scratch)
                                     : reduce_with<Max>(out, in, n, scratch);
}
