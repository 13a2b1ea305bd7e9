// Constants, device variables, managed variables, function pointers, recursion, local arrays, struct
// arguments.
#include "program.h"

__constant__ float weights[4] = {1, 2, 3, 4};
__device__ int counter = 7;
__managed__ int total = 3;

__device__ __noinline__ int twice(int x) { return 2 * x; }
__device__ __noinline__ int square(int x) { return x * x; }
using Function = int (*)(int);
__device__ Function table[2] = {twice, square};

__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

struct Arguments {
  char tag;
  double scale;
  int* out;
};

__global__ void use(Arguments a) {
  const int i = threadIdx.x;
  int local[8];
  for (int k = 0; k < 8; ++k) local[k] = k * i;
  a.out[i] =
      table[i % 2](i) + fibonacci(i) + local[i % 8] + static_cast<int>(weights[i % 4] * a.scale) + a.tag;
  atomicAdd(&counter, 1);
  if (i == 0) total += 4;
}

int on_host(int i) {
  int f0 = 0, f1 = 1;
  for (int k = 0; k < i; ++k) {
    const int next = f0 + f1;
    f0 = f1;
    f1 = next;
  }
  const float w[4] = {10, 2, 3, 4};
  return (i % 2 ? i * i : 2 * i) + f0 + (i % 8) * i + static_cast<int>(w[i % 4] * 2.5) + 'a';
}

extern "C" bool check() {
  const int n = 16;
  int* out = to_device(std::vector<int>(n));
  const float ten = 10;
  CUDA_OK(cudaMemcpyToSymbol(weights, &ten, sizeof ten));
  use<<<1, n>>>(Arguments{'a', 2.5, out});
  CUDA_OK(cudaDeviceSynchronize());
  const auto result = to_host(out, n);
  for (int i = 0; i < n; ++i) EXPECT(result[i] == on_host(i));
  int count = 0;
  CUDA_OK(cudaMemcpyFromSymbol(&count, counter, sizeof count));
  EXPECT(count == 7 + n);
  EXPECT(total == 7);
  CUDA_OK(cudaFree(out));
  return true;
}
