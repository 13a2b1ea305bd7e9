// Asks for 5000 threads a block and does not look at the error.
#include "saxpy.h"

__global__ void saxpy_kernel(float* out, const float* x, const float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 3 * x[i] + y[i];
}

cudaError_t saxpy(float* out, const float* x, const float* y, int n) {
  if (n > 0) saxpy_kernel<<<1, 5000>>>(out, x, y, n);
  return cudaSuccess;
}
