// One thread per element, with device, managed and page-locked memory.
#include "program.h"

__global__ void add(float* c, const float* a, const float* b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

extern "C" bool check() {
  const int n = 10007;
  std::vector<float> a(n), b(n);
  for (int i = 0; i < n; ++i) a[i] = 0.5f * i, b[i] = 1000.f - i;
  float* d_a = to_device(a);
  float* d_b = to_device(b);
  float* c = nullptr;
  CUDA_OK(cudaMallocManaged(&c, n * sizeof(float)));
  add<<<(n + 255) / 256, 256>>>(c, d_a, d_b, n);
  CUDA_OK(cudaGetLastError());
  CUDA_OK(cudaDeviceSynchronize());
  for (int i = 0; i < n; ++i) EXPECT(c[i] == a[i] + b[i]);
  float* pinned = nullptr;
  CUDA_OK(cudaMallocHost(&pinned, n * sizeof(float)));
  add<<<(n + 255) / 256, 256>>>(pinned, d_a, c, n);
  CUDA_OK(cudaDeviceSynchronize());
  EXPECT(pinned[n - 1] == a[n - 1] + c[n - 1]);
  CUDA_OK(cudaFree(d_a));
  CUDA_OK(cudaFree(d_b));
  CUDA_OK(cudaFree(c));
  CUDA_OK(cudaFreeHost(pinned));
  return true;
}
