// Of what the optimiser drops the PTX cannot be assembled, so with -G it does not compile; and it asks for a
// driver function that the simulator does not have.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void set(int* out) {
  int dropped;
  asm("no_such_instruction.u32 %0, %1;" : "=r"(dropped) : "r"(*out));
  *out = 1;
}

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
