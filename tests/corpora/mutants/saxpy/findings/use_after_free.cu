// Reads a temporary array that was freed before the kernel ran.
#include "saxpy.h"

__global__ void saxpy_kernel(float* out, const float* x, const float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 3 * x[i] + y[i];
}

cudaError_t saxpy(float* out, const float* x, const float* y, int n) {
  if (n == 0) return cudaSuccess;
  float* copy = nullptr;
  cudaMalloc(&copy, n * sizeof(float));
  cudaMemcpy(copy, x, n * sizeof(float), cudaMemcpyDeviceToDevice);
  cudaFree(copy);
  saxpy_kernel<<<(n + 255) / 256, 256>>>(out, copy, y, n);
  return cudaGetLastError();
}
