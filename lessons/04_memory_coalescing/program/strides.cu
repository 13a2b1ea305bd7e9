// A copy whose reads are `stride` floats apart, and one whose reads start `offset` floats behind the
// beginning of a line: time, and the bytes that were of use for each second of it.
//   ./ladder sim lessons/04_memory_coalescing/program/strides.cu                  modelled times
//   nvcc -O2 -arch=native -o strides strides.cu && ./strides                      those of your GPU
#include <cstdio>
#include <cstdlib>

#include "../../../common/cuda_check.h"

constexpr int kBlock = 256;

__global__ void copy_kernel(float* out, const float* in, int n, int stride, int offset) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[static_cast<std::size_t>(i) * stride + offset];
}

/// Milliseconds of one copy, the shortest of @p runs, after one that is not counted.
float shortest(float* out, const float* in, int n, int stride, int offset, int runs) {
  cudaEvent_t begin, end;
  CUDA_CHECK(cudaEventCreate(&begin));
  CUDA_CHECK(cudaEventCreate(&end));
  float best = 0;
  for (int run = 0; run <= runs; ++run) {
    CUDA_CHECK(cudaEventRecord(begin));
    copy_kernel<<<(n + kBlock - 1) / kBlock, kBlock>>>(out, in, n, stride, offset);
    CUDA_CHECK(cudaEventRecord(end));
    CUDA_CHECK(cudaEventSynchronize(end));
    float ms = 0;
    CUDA_CHECK(cudaEventElapsedTime(&ms, begin, end));
    if (run == 1 || (run > 1 && ms < best)) best = ms;
  }
  CUDA_CHECK(cudaEventDestroy(begin));
  CUDA_CHECK(cudaEventDestroy(end));
  return best;
}

int main(int count, char** words) try {
  // Small by default, for the simulator's sake: `./strides 24` copies 2^24 floats.
  const int n = 1 << (count > 1 ? std::atoi(words[1]) : 21);
  constexpr int kMost = 32;  // the largest stride, and offset
  float *out = nullptr, *in = nullptr;
  CUDA_CHECK(cudaMalloc(&out, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&in, (static_cast<std::size_t>(n) * kMost + kMost) * sizeof(float)));
  CUDA_CHECK(cudaMemset(in, 0, (static_cast<std::size_t>(n) * kMost + kMost) * sizeof(float)));
  const auto row = [&](const char* what, int value, int stride, int offset) {
    const float ms = shortest(out, in, n, stride, offset, 3);
    std::printf("%s %2d  %8.2f us  %7.1f GB/s\n", what, value, 1e3 * ms, 2e-6 * n * sizeof(float) / ms);
  };
  for (const int stride : {1, 2, 3, 4, 8, 16, 32}) row("stride", stride, stride, 0);
  for (const int offset : {0, 1, 2, 4, 8, 16, 31, 32}) row("offset", offset, 1, offset);
  CUDA_CHECK(cudaFree(out));
  CUDA_CHECK(cudaFree(in));
} catch (const std::exception& error) {
  std::fprintf(stderr, "strides: %s\n", error.what());
  return 1;
}
