// A kernel that waits for a flag of another device's kernel, which leaves before it sets it.
#include <cstdio>

__global__ void wait_for_two(const volatile int* mine) {
  while (*mine < 2) {
  }
}

__global__ void set_one(int* theirs) { atomicExch_system(theirs, 1); }

int main() {
  int* flag;
  cudaMalloc(&flag, sizeof(int));
  cudaMemset(flag, 0, sizeof(int));
  cudaDeviceSynchronize();
  wait_for_two<<<1, 1>>>(flag);
  cudaSetDevice(1);
  cudaDeviceEnablePeerAccess(0, 0);
  set_one<<<1, 1>>>(flag);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaSetDevice(0);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
