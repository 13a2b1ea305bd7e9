// Reads float4 at addresses that are no multiple of 16.
#include "saxpy.h"

__global__ void saxpy_kernel(float* out, const float* x, const float* y, int n) {
  const int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i + 4 < n) {
    const float4 v = *reinterpret_cast<const float4*>(x + i + 1);
    out[i + 1] = 3 * v.x + y[i + 1];
  }
  for (int j = i; j < i + 4 && j < n; ++j) out[j] = 3 * x[j] + y[j];
}

cudaError_t saxpy(float* out, const float* x, const float* y, int n) {
  if (n == 0) return cudaSuccess;
  saxpy_kernel<<<(n + 255) / 256, 256>>>(out, x, y, n);
  return cudaGetLastError();
}
