// A barrier of the whole grid, made by hand: it needs all blocks to be there.
#include "saxpy.h"

__device__ unsigned arrived;

__global__ void saxpy_kernel(float* out, const float* x, const float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 3 * x[i];
  __syncthreads();
  if (threadIdx.x == 0) {
    const unsigned round = atomicAdd(&arrived, 1) / gridDim.x;
    while (atomicAdd(&arrived, 0) < (round + 1) * gridDim.x) __nanosleep(100);
  }
  __syncthreads();
  if (i < n) out[i] += y[i];
}

cudaError_t saxpy(float* out, const float* x, const float* y, int n) {
  if (n == 0) return cudaSuccess;
  cudaError_t error = cudaSuccess;
  const unsigned zero = 0;
  if (error == cudaSuccess) error = cudaMemcpyToSymbol(arrived, &zero, sizeof zero);
  saxpy_kernel<<<(n + 255) / 256, 256>>>(out, x, y, n);
  return error == cudaSuccess ? cudaGetLastError() : error;
}
