// Rung 7: when only one warp is left, barriers for the whole block are a waste: __syncwarp is enough.
#include "operators.h"
#include "reduction.h"

constexpr int kBlock = 256;            // threads a block: eight warps
constexpr int kPerBlock = 2 * kBlock;  // elements a block takes

/// Folds partial[0..63] into partial[0]; called by the 32 threads of one warp. Lanes of a warp may drift
/// apart, so __syncwarp() stands between one lane's write and another's read, and the other way round.
template <class Op>
__device__ void fold_warp(float* partial, unsigned lane) {
  // TODO(1): keep partial[lane] in a register. In steps of stride 32, 16, ... 1, let all lanes combine it
  //          with the partial result `stride` places on and publish it in partial[lane]. Where do the two
  //          __syncwarp() of a step belong (8 lines)? Lanes of no use any more compute what nobody reads.
  // BEGIN SOLUTION
  float mine = partial[lane];
#pragma unroll
  for (unsigned stride = 32; stride > 0; stride /= 2) {
    mine = Op::combine(mine, partial[lane + stride]);
    __syncwarp();  // all have read the old values ...
    partial[lane] = mine;
    __syncwarp();  // ... and all have written the new ones
  }
  // END SOLUTION
}

template <class Op>
__global__ void reduce_kernel(float* out, const float* in, std::int64_t n) {
  __shared__ float partial[kBlock];
  const unsigned t = threadIdx.x;
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kPerBlock + t;
  partial[t] = Op::combine(i < n ? in[i] : Op::identity(), i + kBlock < n ? in[i + kBlock] : Op::identity());
  __syncthreads();  // every element is there before a neighbour reads it

  // TODO(2): fold as in rung 6 while more than one warp has work; then let the first warp, and no other, call
  //          fold_warp (5 lines). What does fold_warp find in partial when it begins?
  // BEGIN SOLUTION
  for (unsigned stride = blockDim.x / 2; stride > 32; stride /= 2) {  // two warps and more
    if (t < stride) partial[t] = Op::combine(partial[t], partial[t + stride]);
    __syncthreads();  // this step's results are there before the next step reads them
  }
  if (t < 32) fold_warp<Op>(partial, t);
  // END SOLUTION

  if (t == 0) out[blockIdx.x] = partial[0];
}

/// Each launch leaves one value a block; the next one takes those in, until a single block is enough.
template <class Op>
cudaError_t reduce_with(float* out, const float* in, std::int64_t n, float* scratch) {
  std::int64_t blocks = 0;
  do {
    blocks = n > kPerBlock ? (n + kPerBlock - 1) / kPerBlock : 1;  // one at least: it writes the identity
    reduce_kernel<Op><<<static_cast<unsigned>(blocks), kBlock>>>(blocks == 1 ? out : scratch, in, n);
    in = scratch;
    n = blocks;
    scratch += blocks;  // the next launch reads here, so it has to write behind
  } while (blocks > 1);
  return cudaGetLastError();
}

cudaError_t reduce(float* out, const float* in, std::int64_t n, Operation operation, float* scratch) {
  return operation == Operation::sum ? reduce_with<Sum>(out, in, n, scratch)
                                     : reduce_with<Max>(out, in, n, scratch);
}
