// Rung 4: the same tree, but the threads that work are the first ones, so whole warps finish early.
#include "operators.h"
#include "reduction.h"

constexpr int kBlock = 256;  // threads a block: eight warps

template <class Op>
__global__ void reduce_kernel(float* out, const float* in, std::int64_t n) {
  __shared__ float partial[kBlock];
  const unsigned t = threadIdx.x;
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + t;
  partial[t] = i < n ? in[i] : Op::identity();  // spare threads of the last block change nothing
  __syncthreads();                              // every element is there before a neighbour reads it

  // TODO(1): in steps as before; but let thread t look after place 2 * stride * t, if the block has
  //          such a place, so that the busy threads are neighbours. In the end one thread stores the
  //          block's result (6 lines).
}

/// Each launch leaves one value a block; the next one takes those in, until a single block is enough.
template <class Op>
cudaError_t reduce_with(float* out, const float* in, std::int64_t n, float* scratch) {
  std::int64_t blocks = 0;
  do {
    blocks = n > kBlock ? (n + kBlock - 1) / kBlock : 1;  // one at least: it writes the identity
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
