// Divides by a number of blocks that is 0 for small inputs.
#include "saxpy.h"

__global__ void saxpy_kernel(float* out, const float* x, const float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 3 * x[i] + y[i];
}

cudaError_t saxpy(float* out, const float* x, const float* y, int n) {
  const int blocks = n / 32;
  volatile int each = n / blocks;
  saxpy_kernel<<<blocks, each>>>(out, x, y, n);
  return cudaGetLastError();
}
