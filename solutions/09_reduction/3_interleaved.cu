// Rung 3: a tree in shared memory; neighbours first, then neighbours of neighbours.
#include "operators.h"
#include "reduction.h"

constexpr int kBlock = 256;  // threads a block: eight warps

template <class Op>
__global__ void reduce_kernel(float* out, const float* in, std::int64_t n) {
  __shared__ float partial[kBlock];
  const unsigned t = threadIdx.x;
  // TODO(1): put this thread's element into partial[t]; a thread behind the end brings what changes nothing.
  //          What has to happen before a neighbour reads it (3 lines)?
  // BEGIN SOLUTION
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + t;
  partial[t] = i < n ? in[i] : Op::identity();  // spare threads of the last block change nothing
  __syncthreads();                              // every element is there before a neighbour reads it
  // END SOLUTION

  // TODO(2): in steps of stride 1, 2, 4, ... below blockDim.x: every thread whose number is a multiple of
  //          2 * stride takes in the partial result `stride` places on. What must happen between
  //          two steps, and for which threads (4 lines)?
  // BEGIN SOLUTION
  for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
    if (t % (2 * stride) == 0) partial[t] = Op::combine(partial[t], partial[t + stride]);
    __syncthreads();  // this step's results are there before the next step reads them
  }
  // END SOLUTION

  if (t == 0) out[blockIdx.x] = partial[0];
}

/// Each launch leaves one value a block; the next one takes those in, until a single block is enough.
template <class Op>
cudaError_t reduce_with(float* out, const float* in, std::int64_t n, float* scratch) {
  // TODO(3): launch as many blocks as n elements need, one at least; their results go into scratch, or into
  //          out if it is a single block. Then the results are the input of the next launch, until one
  //          block was enough (about 8 lines). Where in scratch may the next launch write?
  // BEGIN SOLUTION
  std::int64_t blocks = 0;
  do {
    blocks = n > kBlock ? (n + kBlock - 1) / kBlock : 1;  // one at least: it writes the identity
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
