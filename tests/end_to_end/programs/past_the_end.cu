// Writes past the end of its buffer, and ends as it is told to.
#include <cstdio>
#include <cstdlib>

__global__ void fill(float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = 1.0f;  // no guard
}

int main(int argc, char** argv) {
  float* out = nullptr;
  cudaMalloc(&out, 100 * sizeof(float));
  fill<<<1, 128>>>(out);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  std::fflush(stdout);
  if (argc > 1 && argv[1][0] == 'a') std::abort();
  if (argc > 1 && argv[1][0] == 'q') std::quick_exit(5);
  return 4;
}
