// A kernel counts in host memory that other processes see as well.
#include <sys/mman.h>

#include <cstdio>

__global__ void count(int* counter) { atomicAdd(counter, 1); }

int main() {
  constexpr std::size_t kBytes = 8192;
  int* host =
      static_cast<int*>(mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  int* device = nullptr;
  cudaHostRegister(host, kBytes, cudaHostRegisterMapped);
  cudaHostGetDevicePointer(&device, host, 0);
  if (device == host) std::printf("the same address\n");
  count<<<2, 32>>>(device);
  cudaDeviceSynchronize();
  std::printf("%d counted\n", *host);
  cudaHostUnregister(host);
  munmap(host, kBytes);
  return 0;
}
