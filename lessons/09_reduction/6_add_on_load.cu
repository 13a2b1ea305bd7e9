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

  // TODO(2): fold the block's partial results as in rung 5, and store the block's (5 lines).
}

/// Each launch leaves one value a block; the next one takes those in, until a single block is enough.
template <class Op>
cudaError_t reduce_with(float* out, const float* in, std::int64_t n, float* scratch) {
  // TODO(3): the launches of rung 5, for blocks that take kPerBlock elements each (about 8 lines).
  return cudaGetLastError();
}

cudaError_t reduce(float* out, const float* in, std::int64_t n, Operation operation, float* scratch) {
  return operation == Operation::sum ? reduce_with<Sum>(out, in, n, scratch)
                                     : reduce_with<Max>(out, in, n, scratch);
}
