// Rung 2: a thread for every element, all of them adding to one place in memory.
#include "operators.h"
#include "reduction.h"

constexpr int kBlock = 256;  // threads a block: eight warps

template <class Op>
__global__ void start_kernel(float* out) {
  *out = Op::identity();
}

template <class Op>
__global__ void reduce_kernel(float* out, const float* in, std::int64_t n) {
  // TODO(1): combine this thread's element, if it has one, into *out (2 or 3 lines). An ordinary read, add
  //          and write would lose the elements of threads that read the same old value: use
  //          Op::combine_atomically. The number of the thread in the grid needs 64 bits.
}

template <class Op>
cudaError_t reduce_with(float* out, const float* in, std::int64_t n, float*) {
  // TODO(2): let start_kernel set *out to the identity; then launch reduce_kernel with enough blocks of
  //          kBlock threads for n elements (3 lines). A grid of no blocks is an error.
  return cudaGetLastError();
}

cudaError_t reduce(float* out, const float* in, std::int64_t n, Operation operation, float* scratch) {
  return operation == Operation::sum ? reduce_with<Sum>(out, in, n, scratch)
                                     : reduce_with<Max>(out, in, n, scratch);
}
