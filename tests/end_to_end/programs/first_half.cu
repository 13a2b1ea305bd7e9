// Calls a device function and reads a device variable of the other file.
#include <cstdio>

#include "shared.h"

static __device__ int own(int x) { return x + 1; }

__global__ void kernel(int* out) { *out = shifted(own(10)) + offset; }

int main() {
  int *out = nullptr, value = 0;
  cudaMalloc(&out, sizeof value);
  kernel<<<1, 1>>>(out);
  cudaMemcpy(&value, out, sizeof value, cudaMemcpyDeviceToHost);
  std::printf("%d %d\n", value, host_side());
  cudaFree(out);
  return 0;
}
