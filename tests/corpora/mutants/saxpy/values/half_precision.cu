// Computes in half precision.
#include <cuda_fp16.h>

#include "saxpy.h"

__global__ void saxpy_kernel(float* out, const float* x, const float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = __half2float(__hadd(__hmul(__float2half(3), __float2half(x[i])), __float2half(y[i])));
}

cudaError_t saxpy(float* out, const float* x, const float* y, int n) {
  if (n == 0) return cudaSuccess;
  saxpy_kernel<<<(n + 255) / 256, 256>>>(out, x, y, n);
  return cudaGetLastError();
}
