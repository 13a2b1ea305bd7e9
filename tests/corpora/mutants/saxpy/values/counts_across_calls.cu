// Adds to a device variable that nobody sets back: right in the first call, wrong in every later one.
#include "saxpy.h"

__device__ float offset = 0;

__global__ void saxpy_kernel(float* out, const float* x, const float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 3 * x[i] + y[i] + offset;
}

__global__ void count_kernel() { offset += 1; }

cudaError_t saxpy(float* out, const float* x, const float* y, int n) {
  if (n == 0) return cudaSuccess;
  saxpy_kernel<<<(n + 255) / 256, 256>>>(out, x, y, n);
  count_kernel<<<1, 1>>>();
  return cudaGetLastError();
}
