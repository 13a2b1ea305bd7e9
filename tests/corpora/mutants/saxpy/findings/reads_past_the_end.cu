// Reads a neighbour that the last element does not have.
#include "saxpy.h"

__global__ void saxpy_kernel(float* out, const float* x, const float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 3 * x[i] + y[i] + 0 * x[i + 1];
}

cudaError_t saxpy(float* out, const float* x, const float* y, int n) {
  if (n == 0) return cudaSuccess;
  saxpy_kernel<<<(n + 255) / 256, 256>>>(out, x, y, n);
  return cudaGetLastError();
}
