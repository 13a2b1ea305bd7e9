// Rung 5: fold the far half onto the near half, so that a warp's accesses are 32 words in a row.
#include "operators.h"
#include "reduction.h"

constexpr int kBlock = 256;  // threads a block: eight warps

template <class Op>
__global__ void reduce_kernel(float* out, const float* in, std::int64_t n) {
  // TODO(1): all of the kernel. A place in shared memory for each thread, filled as in rung 4 (5 lines); then
  //          the steps: start with a stride of half the block and halve it; the first `stride` threads
  //          each take in the partial result `stride` places on (4 lines); then the block's result (1).
  // BEGIN SOLUTION
  __shared__ float partial[kBlock];
  const unsigned t = threadIdx.x;
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + t;
  partial[t] = i < n ? in[i] : Op::identity();  // spare threads of the last block change nothing
  __syncthreads();                              // every element is there before a neighbour reads it

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
