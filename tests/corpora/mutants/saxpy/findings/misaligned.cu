// Reads float4 at addresses that are no multiple of 16.
#include "saxpy.h"

__global__ void saxpy_kernel(float* out, const float* x, const float* y, int n) {
  const int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i + 4 >= n) {
    for (int j = i; j < n; ++j) out[j] = 3 * x[j] + y[j];
    return;
  }
  const float4 v = *reinterpret_cast<const float4*>(x + i + 1);
  out[i] = 3 * x[i] + y[i];
  out[i + 1] = 3 * v.x + y[i + 1];
  out[i + 2] = 3 * v.y + y[i + 2];
  out[i + 3] = 3 * v.z + y[i + 3] + 0 * v.w;
}

cudaError_t saxpy(float* out, const float* x, const float* y, int n) {
  if (n == 0) return cudaSuccess;
  saxpy_kernel<<<(n + 255) / 256, 256>>>(out, x, y, n);
  return cudaGetLastError();
}
