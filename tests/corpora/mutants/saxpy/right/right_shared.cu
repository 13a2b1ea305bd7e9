// Right: through shared memory, with the barrier that needs.
#include "saxpy.h"

__global__ void saxpy_kernel(float* out, const float* x, const float* y, int n) {
  __shared__ float tile[256];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) tile[255 - threadIdx.x] = 3 * x[i];
  __syncthreads();
  if (i < n) out[i] = tile[255 - threadIdx.x] + y[i];
}

cudaError_t saxpy(float* out, const float* x, const float* y, int n) {
  if (n == 0) return cudaSuccess;
  saxpy_kernel<<<(n + 255) / 256, 256>>>(out, x, y, n);
  return cudaGetLastError();
}
