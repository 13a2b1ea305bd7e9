// Keeps a copy of x, and takes the same address for the same values.
#include "saxpy.h"

__global__ void saxpy_kernel(float* out, const float* x, const float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 3 * x[i] + y[i];
}

cudaError_t saxpy(float* out, const float* x, const float* y, int n) {
  static const float* known = nullptr;
  static float* copy = nullptr;
  if (n == 0) return cudaSuccess;
  if (x != known) {
    cudaFree(copy);
    if (const cudaError_t error = cudaMalloc(&copy, n * sizeof(float)); error != cudaSuccess) return error;
    if (const cudaError_t error = cudaMemcpy(copy, x, n * sizeof(float), cudaMemcpyDeviceToDevice);
        error != cudaSuccess)
      return error;
    known = x;
  }
  saxpy_kernel<<<(n + 127) / 128, 128>>>(out, copy, y, n);
  return cudaGetLastError();
}
