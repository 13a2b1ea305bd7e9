// Calls a device function whose body is in a file that is not linked with it.
#include <cstdio>

__device__ int shifted(int x);

__global__ void kernel(int* out) { *out = shifted(10); }

int main() {
  int* out = nullptr;
  cudaMalloc(&out, sizeof *out);
  kernel<<<1, 1>>>(out);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaFree(out);
  return 0;
}
