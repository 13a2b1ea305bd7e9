// Rung 6: combine two elements while loading, so that no thread idles through the first step.
#include "operators.h"
#include "reduction.h"

constexpr int kBlock = 256;            // threads a block: eight warps
constexpr int kPerBlock = 2 * kBlock;  // elements a block takes

template <class Op>
__global__ void reduce_kernel(float* out, const float* in, std::int64_t n) {
  __shared__ float partial[kBlock];
  const unsigned t = threadIdx.x;
  // TODO(1): a block now takes kPerBlock elements. Which is this thread's first, i? Put elements i and
  //          i + kBlock, combined, into partial[t]; either may lie behind the end. Then wait (3 lines).
  // BEGIN SOLUTION
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kPerBlock + t;
  partial[t] = Op::combine(i < n ? in[i] : Op::identity(), i + kBlock < n ? in[i + kBlock] : Op::identity());
  __syncthreads();  // every element is there before a neighbour reads it
  // END SOLUTION

  // TODO(2): fold the block's partial results as in rung 5, and store the block's (5 lines).
  // BEGIN SOLUTION
  for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
    if (t < stride) partial[t] = Op::combine(partial[t], partial[t + stride]);
    __syncthreads();  // this step's results are there before the next step reads them
  }
  if (t == 0) out[blockIdx.x] = partial[0];
  // END SOLUTION
}

/// Each launch leaves one value a block; the next one takes those in, until a single block is enough.
template <class Op>
cudaError_t reduce_with(float* out, const float* in, std::int64_t n, float* scratch) {
  // TODO(3): the launches of rung 5, for blocks that take kPerBlock elements each (about 8 lines).
  // BEGIN SOLUTION
  std::int64_t blocks = 0;
  do {
    blocks = n > kPerBlock ? (n + kPerBlock - 1) / kPerBlock : 1;  // one at least: it writes the identity
    reduce_kernel<Op><<<static_cast<unsigned>(blocks), kBlock>>>(blocks == 1 ? out : scratch, in, n);
    in = scratch;
    n = blocks;
    scratch += blocks;  // the next launch reads here, so it has to write behind
  } while (blocks > 1);
  // END SOLUTION
  return cudaGetLastError();
}

cudaError_t reduce(float* out, const float* in, std::int64_t n, Operation operation, float* scratch) {
  return operation == Operation::sum ? reduce_with<Sum>(out, in, n, scratch)
                                     : reduce_with<Max>(out, in, n, scratch);
}
