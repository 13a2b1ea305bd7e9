// Rung 11: 16 bytes a load: a quarter of the load instructions.
#include "common/grid.h"
#include "operators.h"
#include "reduction.h"

constexpr int kWarp = 32;                     // lanes of a warp
constexpr int kBlock = 256;                   // threads a block: eight warps
constexpr int kBlocksPerMultiprocessor = 32;  // several times what fits: whoever is done first takes more
constexpr int kWide = 4;                      // floats in 16 bytes, the widest a thread loads
constexpr int kPerThread = 8;                 // elements at least: for less, fewer blocks will do

/// The combination of a warp's values, in lane 0.
template <class Op>
__device__ float fold_warp(float value) {
  constexpr unsigned kAllLanes = 0xffffffff;  // a bit for each lane of the warp
  for (int offset = kWarp / 2; offset > 0; offset /= 2)
    value = Op::combine(value, __shfl_down_sync(kAllLanes, value, offset));
  return value;
}

template <class Op>
__device__ float combine(float4 v) {
  return Op::combine(Op::combine(v.x, v.y), Op::combine(v.z, v.w));
}

template <class Op>
__global__ void reduce_kernel(float* out, const float* in, std::int64_t n) {
  __shared__ float partial[kBlock / kWarp];  // a place for each warp
  const unsigned t = threadIdx.x;
  float mine = Op::identity();
  const std::int64_t threads = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + t;

  // A 16-byte load has to start at a multiple of 16 bytes: up to three floats before the first such
  // place and up to three behind the last whole vector go one by one.
  // TODO(1): how many floats lie before the first multiple of 16 bytes (head, n at most), how many vectors
  //          follow, and where does the rest behind them begin (tail)? Let the first threads of the grid
  //          take in the floats of both ends, one each (6 lines).

  // TODO(2): the grid strides over the vectors from in[head] on; combine<Op>(v) folds the four floats of one
  //          (2 or 3 lines).

  const unsigned lane = t % kWarp, warp = t / kWarp;
  mine = fold_warp<Op>(mine);
  if (lane == 0) partial[warp] = mine;
  __syncthreads();  // all warps have left their result before the first one reads them
  if (warp == 0) mine = fold_warp<Op>(lane < kBlock / kWarp ? partial[lane] : Op::identity());

  if (t == 0) out[blockIdx.x] = mine;
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
