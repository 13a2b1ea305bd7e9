// Rung 6, a blank page: a program of your own, with its own main(). blank_page.h says what it has to do.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

// TODO(1): write the program, and run it as often as you like:
//          ./ladder sim lessons/00_first_program/6_blank_page.cu -- 100
// BEGIN SOLUTION
/// Leaves the function with 1 when a CUDA call fails.
#define CHECK(call)                                                                         \
  do {                                                                                      \
    const cudaError_t error = (call);                                                       \
    if (error == cudaSuccess) break;                                                        \
    std::fprintf(stderr, "%s: %s (line %d)\n", #call, cudaGetErrorString(error), __LINE__); \
    return 1;                                                                               \
  } while (false)

__host__ __device__ int steps_from(std::int64_t k) {
  int steps = 0;
  for (; k != 1; ++steps) k = k % 2 == 0 ? k / 2 : 3 * k + 1;
  return steps;
}

/// steps[i] belongs to the number i + 1.
__global__ void steps_kernel(int* steps, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) steps[i] = steps_from(i + 1);
}

/// What is allocated is given back by whoever calls, also after an error.
static int run(int n, int* d_steps, cudaEvent_t start, cudaEvent_t stop) {
  constexpr int kBlock = 256;
  CHECK(cudaEventRecord(start));
  steps_kernel<<<(n + kBlock - 1) / kBlock, kBlock>>>(d_steps, n);
  CHECK(cudaGetLastError());
  CHECK(cudaEventRecord(stop));
  std::vector<int> steps(n);
  CHECK(cudaMemcpy(steps.data(), d_steps, n * sizeof(int), cudaMemcpyDeviceToHost));

  float ms = 0;
  CHECK(cudaEventElapsedTime(&ms, start, stop));  // the copy has waited for both
  int most = 0;
  long long all = 0;
  for (int i = 0; i < n; ++i) {
    if (steps[i] != steps_from(i + 1)) {
      std::fprintf(stderr, "%d: %d steps on the GPU, %d on the CPU\n", i + 1, steps[i], steps_from(i + 1));
      return 1;
    }
    if (steps[i] > steps[most]) most = i;
    all += steps[i];
  }
  std::printf("%d takes %d steps, all together %lld\n", most + 1, steps[most], all);
  std::printf("the kernel took %.3f ms for %d numbers\n", ms, n);
  return 0;
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 1000;
  if (n < 1 || n > 10'000'000) {
    std::fprintf(stderr, "usage: %s [N], N from 1 to 10000000\n", argv[0]);
    return 1;
  }
  int* d_steps = nullptr;
  cudaEvent_t start = nullptr, stop = nullptr;
  CHECK(cudaMalloc(&d_steps, n * sizeof(int)));
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  const int result = run(n, d_steps, start, stop);
  CHECK(cudaEventDestroy(stop));
  CHECK(cudaEventDestroy(start));
  CHECK(cudaFree(d_steps));
  return result;
}
// END SOLUTION
