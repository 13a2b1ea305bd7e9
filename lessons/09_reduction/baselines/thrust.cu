// The library's way with the least to write: thrust::reduce, which comes with the CUDA toolkit. It allocates
// its own scratch memory and hands the result to the host; here it goes back, as the contract wants it.
#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/reduce.h>

#include "reduction.h"

cudaError_t reduce(float* out, const float* in, std::int64_t n, Operation operation, float*) {
  const thrust::device_ptr<const float> begin(in);
  const float result = operation == Operation::sum ? thrust::reduce(thrust::device, begin, begin + n, 0.0f)
                                                   : thrust::reduce(thrust::device, begin, begin + n,
                                                                    -INFINITY, thrust::maximum<float>());
  return cudaMemcpy(out, &result, sizeof(float), cudaMemcpyHostToDevice);
}
