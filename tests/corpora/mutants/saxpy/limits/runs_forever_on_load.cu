// A global object that never finishes its construction.
#include "saxpy.h"

__global__ void saxpy_kernel(float* out, const float* x, const float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 3 * x[i] + y[i];
}

static const int ready = [] {
  volatile bool forever = true;
  while (forever) {
  }
  return 1;
}();

cudaError_t saxpy(float* out, const float* x, const float* y, int n) {
  if (n == 0 || ready == 0) return cudaSuccess;
  saxpy_kernel<<<(n + 255) / 256, 256>>>(out, x, y, n);
  return cudaGetLastError();
}
