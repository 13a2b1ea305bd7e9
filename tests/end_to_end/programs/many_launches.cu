// One small kernel again and again, further ahead of the GPU than its queue would let it.
#include <cstdio>

__global__ void count(int* to) {
  if (threadIdx.x == 0) *to += 1;
}

int main() {
  int *device, host = 0;
  cudaMalloc(&device, sizeof host);
  cudaMemset(device, 0, sizeof host);
  for (int i = 0; i < 3000; ++i) count<<<1, 32>>>(device);
  cudaMemcpy(&host, device, sizeof host, cudaMemcpyDeviceToHost);
  cudaFree(device);
  std::printf("%d\n", host);
}
