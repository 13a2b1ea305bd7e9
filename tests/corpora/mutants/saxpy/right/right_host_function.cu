// Right: a function of the host, called by the stream, puts the factor where the kernel behind it reads it.
#include "saxpy.h"

__global__ void saxpy_kernel(float* out, const float* x, const float* y, int n, const float* factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = factor[0] * x[i] + y[i];
}

cudaError_t saxpy(float* out, const float* x, const float* y, int n) {
  if (n == 0) return cudaSuccess;
  float* factor = nullptr;
  cudaError_t error = cudaMallocHost(&factor, sizeof(float));
  if (error != cudaSuccess) return error;
  *factor = 0;
  error = cudaLaunchHostFunc(
      nullptr, [](void* where) { *static_cast<float*>(where) = 3; }, factor);
  if (error == cudaSuccess) {
    saxpy_kernel<<<(n + 255) / 256, 256>>>(out, x, y, n, factor);
    error = cudaDeviceSynchronize();
  }
  const cudaError_t freed = cudaFreeHost(factor);
  return error != cudaSuccess ? error : freed;
}
