// Reads what another warp has not written yet.
#include "saxpy.h"

__global__ void saxpy_kernel(float* out, const float* x, const float* y, int n) {
  __shared__ volatile float tile[256];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = i < n ? 3 * x[i] : 0;
  // A barrier belongs here.
  const int other = (threadIdx.x + 128) % 256;
  const int j = blockIdx.x * blockDim.x + other;
  if (j < n) out[j] = tile[other] + y[j];
}

cudaError_t saxpy(float* out, const float* x, const float* y, int n) {
  if (n == 0) return cudaSuccess;
  saxpy_kernel<<<(n + 255) / 256, 256>>>(out, x, y, n);
  return cudaGetLastError();
}
