// Rounds the number of blocks down.
#include "saxpy.h"

__global__ void saxpy_kernel(float* out, const float* x, const float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 3 * x[i] + y[i];
}

cudaError_t saxpy(float* out, const float* x, const float* y, int n) {
  if (n < 256)
    saxpy_kernel<<<1, 256>>>(out, x, y, n);
  else
    saxpy_kernel<<<n / 256, 256>>>(out, x, y, n);
  return cudaGetLastError();
}
