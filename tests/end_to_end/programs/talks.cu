// Reads its input, writes its arguments, and ends with the status it is told to: an ordinary program, with a
// kernel.
#include <cstdio>
#include <cstdlib>

__global__ void doubled(int* values, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] *= 2;
}

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) std::printf("argument %s\n", argv[i]);
  int value = 0;
  while (std::scanf("%d", &value) == 1) {
    int* on_device = nullptr;
    cudaMalloc(&on_device, sizeof value);
    cudaMemcpy(on_device, &value, sizeof value, cudaMemcpyHostToDevice);
    doubled<<<1, 32>>>(on_device, 1);
    cudaMemcpy(&value, on_device, sizeof value, cudaMemcpyDeviceToHost);
    std::printf("%d\n", value);
    cudaFree(on_device);
  }
  std::fprintf(stderr, "to stderr\n");
  return argc > 1 ? std::atoi(argv[argc - 1]) : 0;
}
