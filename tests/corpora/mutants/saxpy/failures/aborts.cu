// Fails an assertion on the host.
#undef NDEBUG
#include <cassert>

#include "saxpy.h"

__global__ void saxpy_kernel(float* out, const float* x, const float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 3 * x[i] + y[i];
}

cudaError_t saxpy(float* out, const float* x, const float* y, int n) {
  assert(n < 3 && "only tiny inputs");
  if (n > 0) saxpy_kernel<<<1, 256>>>(out, x, y, n);
  return cudaGetLastError();
}
