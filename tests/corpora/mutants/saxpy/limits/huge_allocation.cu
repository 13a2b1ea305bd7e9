// Allocates far more device memory than there is.
#include "saxpy.h"

__global__ void saxpy_kernel(float* out, const float* x, const float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 3 * x[i] + y[i];
}

cudaError_t saxpy(float* out, const float* x, const float* y, int n) {
  if (n == 0) return cudaSuccess;
  float* scratch = nullptr;
  if (const cudaError_t error = cudaMalloc(&scratch, sizeof(float) << 40); error != cudaSuccess) return error;
  saxpy_kernel<<<(n + 255) / 256, 256>>>(out, x, y, n);
  return cudaFree(scratch);
}
