// Right: what the first call makes is kept for the next ones; the workspace grows when it has to.
// With its check build, which knows what a kernel touches.
#include "saxpy.h"

__global__ void scale_kernel(float* scaled, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) scaled[i] = 3 * x[i];
}

__global__ void add_kernel(float* out, const float* scaled, const float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = scaled[i] + y[i];
}

cudaError_t saxpy(float* out, const float* x, const float* y, int n) {
  static float* workspace = nullptr;
  static int room = 0;
  static cudaStream_t stream = nullptr;
  if (n == 0) return cudaSuccess;
  if (stream == nullptr) cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  if (room < n) {
    cudaFree(workspace);
    cudaMalloc(&workspace, n * sizeof(float));
    room = n;
  }
  const int blocks = (n + 255) / 256;
  scale_kernel<<<blocks, 256, 0, stream>>>(workspace, x, n);
  add_kernel<<<blocks, 256, 0, stream>>>(out, workspace, y, n);
  float* unused = nullptr;  // given back behind the work, which is no access of it
  cudaMallocAsync(&unused, 64, stream);
  cudaStreamSynchronize(stream);
  cudaFreeAsync(unused, stream);
  return cudaGetLastError();
}
