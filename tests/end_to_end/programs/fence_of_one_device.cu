// A kernel leaves data in its own memory and a flag in another device's: behind a fence of its own GPU, or of
// the system.
#include <cstdio>

__device__ void hand_over(int* data, volatile int* flag) { *flag = data[0] > 0; }

__global__ void short_fence(int* data, volatile int* flag) {
  data[0] = 1;
  __threadfence();
  hand_over(data, flag);
}
__global__ void long_fence(int* data, volatile int* flag) {
  data[0] = 1;
  __threadfence_system();
  hand_over(data, flag);
}
__global__ void fence_long_ago(int* data, volatile int* flag) {
  data[0] = 1;
  __threadfence();
  __syncthreads();
  hand_over(data, flag);
}

int main() {
  int *data, *flag;
  cudaSetDevice(1);
  cudaMalloc(&flag, sizeof *flag);
  cudaSetDevice(0);
  cudaDeviceEnablePeerAccess(1, 0);
  cudaMalloc(&data, sizeof *data);
  long_fence<<<1, 1>>>(data, flag);
  fence_long_ago<<<1, 1>>>(data, flag);
  cudaDeviceSynchronize();
  short_fence<<<1, 1>>>(data, flag);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
