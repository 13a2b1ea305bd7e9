// Rung 1: one thread does it all, as a CPU would.
#include "operators.h"
#include "reduction.h"

template <class Op>
__global__ void reduce_kernel(float* out, const float* in, std::int64_t n) {
  float result = Op::identity();  // what no elements give, and what changes nothing
  // TODO(1): combine result with every element, one after the other (1 line).
  *out = result;
}

template <class Op>
cudaError_t reduce_with(float* out, const float* in, std::int64_t n, float*) {
  reduce_kernel<Op><<<1, 1>>>(out, in, n);  // one block of one thread: the rest of the GPU stands idle
  return cudaGetLastError();
}

cudaError_t reduce(float* out, const float* in, std::int64_t n, Operation operation, float* scratch) {
  return operation == Operation::sum ? reduce_with<Sum>(out, in, n, scratch)
                                     : reduce_with<Max>(out, in, n, scratch);
}
