// Does not compile with -G, and asks for a driver function that the simulator does not have.
#include <cuda_runtime.h>

#include <cstdio>

#ifdef __CUDACC_DEBUG__
#error not in debug builds
#endif

__global__ void set(int* out) { *out = 1; }

int main() {
  int* out = nullptr;
  cudaMalloc(&out, sizeof *out);
  set<<<1, 1>>>(out);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaFree(out);
  void* function = &out;
  cudaDriverEntryPointQueryResult found;
  cudaGetDriverEntryPointByVersion("cuTensorMapReplaceAddress", &function, 12000, 0, &found);
  std::printf("%s\n", function == nullptr ? "null" : "there");
  return 0;
}
