// Each block waits for the one behind it.
#include "saxpy.h"

__device__ volatile int ready[1024];

__global__ void saxpy_kernel(float* out, const float* x, const float* y, int n) {
  if (threadIdx.x == 0 && blockIdx.x + 1 < gridDim.x)
    while (ready[blockIdx.x + 1] == 0) {
    }
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 3 * x[i] + y[i];
  __syncthreads();
  __threadfence();
  if (threadIdx.x == 0) ready[blockIdx.x] = 1;
}

__global__ void zero_kernel() { ready[threadIdx.x] = 0; }

cudaError_t saxpy(float* out, const float* x, const float* y, int n) {
  if (n == 0) return cudaSuccess;
  zero_kernel<<<1, 1024>>>();
  saxpy_kernel<<<(n + 255) / 256, 256>>>(out, x, y, n);
  return cudaGetLastError();
}
