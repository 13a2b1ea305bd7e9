// The host copies what a kernel has written to managed memory before it has waited for the kernel.
// With its check build, which is what races are looked for in.
#include "saxpy.h"

__global__ void saxpy_kernel(float* out, const float* x, const float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 3 * x[i] + y[i];
}

cudaError_t saxpy(float* out, const float* x, const float* y, int n) {
  if (n == 0) return cudaSuccess;
  const std::size_t bytes = n * sizeof(float);
  float* managed = nullptr;
  cudaError_t error = cudaMallocManaged(&managed, bytes);
  if (error != cudaSuccess) return error;
  saxpy_kernel<<<(n + 255) / 256, 256>>>(managed, x, y, n);
  const float early = managed[0];
  error = cudaMemcpy(out, managed, bytes, cudaMemcpyDefault);
  if (error == cudaSuccess) error = cudaMemcpy(out, &early, sizeof(float), cudaMemcpyHostToDevice);
  const cudaError_t freed = cudaFree(managed);
  return error != cudaSuccess ? error : freed;
}
