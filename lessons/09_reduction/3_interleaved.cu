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

  // TODO(2): in steps of stride 1, 2, 4, ... below blockDim.x: every thread whose number is a multiple of
  //          2 * stride takes in the partial result `stride` places on. What must happen between
  //          two steps, and for which threads (4 lines)?

  if (t == 0) out[blockIdx.x] = partial[0];
}

/// Each launch leaves one value a block; the next one takes those in, until a single block is enough.
template <class Op>
cudaError_t reduce_with(float* out, const float* in, std::int64_t n, float* scratch) {
  // TODO(3): launch as many blocks as n elements need, one at least; their results go into scratch, or into
  //          out if it is a single block. Then the results are the input of the next launch, until one
  //          block was enough (about 8 lines). Where in scratch may the next launch write?
  return cudaGetLastError();
}

cudaError_t reduce(float* out, const float* in, std::int64_t n, Operation operation, float* scratch) {
  return operation == Operation::sum ? reduce_with<Sum>(out, in, n, scratch)
                                     : reduce_with<Max>(out, in, n, scratch);
}
