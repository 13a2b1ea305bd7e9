// Follows a device pointer on the host.
#include "saxpy.h"

__global__ void saxpy_kernel(float* out, const float* x, const float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 3 * x[i] + y[i];
}

cudaError_t saxpy(float* out, const float* x, const float* y, int n) {
  for (int i = 0; i < n; ++i) out[i] = 3 * x[i] + y[i];
  return cudaSuccess;
}
