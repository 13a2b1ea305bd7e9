// Works on a non-blocking stream and does not wait for it.
// With its check build, which knows what a kernel touches.
#include "saxpy.h"

__global__ void saxpy_kernel(float* out, const float* x, const float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 3 * x[i] + y[i];
}

cudaError_t saxpy(float* out, const float* x, const float* y, int n) {
  if (n == 0) return cudaSuccess;
  cudaStream_t stream = nullptr;
  if (const cudaError_t error = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
      error != cudaSuccess)
    return error;
  saxpy_kernel<<<(n + 255) / 256, 256, 0, stream>>>(out, x, y, n);
  cudaStreamDestroy(stream);  // which does not wait either
  return cudaGetLastError();
}
