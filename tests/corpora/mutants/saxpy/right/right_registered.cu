// Right: the factor is read from the host's own memory, which is registered for as long as the call takes.
#include <cstdlib>

#include "saxpy.h"

__global__ void saxpy_kernel(float* out, const float* x, const float* y, int n, const float* factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = factor[0] * x[i] + y[i];
}

cudaError_t saxpy(float* out, const float* x, const float* y, int n) {
  if (n == 0) return cudaSuccess;
  auto* const factors = static_cast<float*>(std::aligned_alloc(4096, 4096));
  factors[1] = 3;
  cudaError_t error = cudaHostRegister(factors, 4096, cudaHostRegisterMapped);
  float* there = nullptr;
  if (error == cudaSuccess) error = cudaHostGetDevicePointer(reinterpret_cast<void**>(&there), factors, 0);
  if (error != cudaSuccess) return error;
  saxpy_kernel<<<(n + 255) / 256, 256>>>(out, x, y, n, there + 1);
  error = cudaDeviceSynchronize();
  const cudaError_t undone = cudaHostUnregister(factors);
  std::free(factors);
  return error != cudaSuccess ? error : undone;
}
