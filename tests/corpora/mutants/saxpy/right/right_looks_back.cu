// Right: each block draws its number when it starts, and waits for the one that drew the number before.
#include "saxpy.h"

__device__ int drawn;
__device__ volatile int ready[1024];

__global__ void saxpy_kernel(float* out, const float* x, const float* y, int n) {
  __shared__ int number;
  if (threadIdx.x == 0) {
    number = atomicAdd(&drawn, 1);
    while (number > 0 && ready[number - 1] == 0) __nanosleep(100);
    __threadfence();
  }
  __syncthreads();
  const int i = number * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 3 * x[i] + y[i];
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    ready[number] = 1;
  }
}

__global__ void zero_kernel() {
  ready[threadIdx.x] = 0;
  if (threadIdx.x == 0) drawn = 0;
}

cudaError_t saxpy(float* out, const float* x, const float* y, int n) {
  if (n == 0) return cudaSuccess;
  zero_kernel<<<1, 1024>>>();
  saxpy_kernel<<<(n + 255) / 256, 256>>>(out, x, y, n);
  return cudaGetLastError();
}
