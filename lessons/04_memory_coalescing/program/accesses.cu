// An exercise: ten accesses to global memory. Write behind each how many sectors a warp's request takes, how
// many would do, and what you would change where that is more. Then let the lens draw them:
//   ./ladder sim lessons/04_memory_coalescing/program/accesses.cu --lens
#include <cstdio>

#include "../../../common/cuda_check.h"

constexpr int kThreads = 256, kBlocks = 64, kAll = kThreads * kBlocks;
constexpr int kWidth = 64;  // floats in a row of the matrix

struct Body {
  float x, y, z, mass;
};

struct Pixel {
  unsigned char red, green, blue;
};

__global__ void accesses_kernel(float* out, const float* in, const float* matrix, const Body* bodies,
                                const Pixel* pixels, const int* order) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = in[t];                 // 1
  sum += in[t + 1];                  // 2
  sum += in[2 * t];                  // 3
  sum += in[t / 32];                 // 4
  sum += in[kAll - 1 - t];           // 5
  sum += matrix[t * kWidth];         // 6
  sum += bodies[t].mass;             // 7
  sum += pixels[t].red;              // 8
  sum += in[order[t]];               // 9: two accesses
  out[t % 64 * 256 + t / 64] = sum;  // 10
}

int main() try {
  float *out = nullptr, *in = nullptr, *matrix = nullptr;
  Body* bodies = nullptr;
  Pixel* pixels = nullptr;
  int* order = nullptr;
  CUDA_CHECK(cudaMalloc(&out, kAll * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&in, 2 * kAll * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&matrix, kAll * kWidth * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&bodies, kAll * sizeof(Body)));
  CUDA_CHECK(cudaMalloc(&pixels, kAll * sizeof(Pixel)));
  CUDA_CHECK(cudaMallocManaged(&order, kAll * sizeof(int)));
  CUDA_CHECK(cudaMemset(in, 0, 2 * kAll * sizeof(float)));
  CUDA_CHECK(cudaMemset(matrix, 0, kAll * kWidth * sizeof(float)));
  CUDA_CHECK(cudaMemset(bodies, 0, kAll * sizeof(Body)));
  CUDA_CHECK(cudaMemset(pixels, 0, kAll * sizeof(Pixel)));
  for (int t = 0; t < kAll; ++t)
    order[t] = static_cast<int>(t * 40'503LL % kAll);  // each number once, far apart
  accesses_kernel<<<kBlocks, kThreads>>>(out, in, matrix, bodies, pixels, order);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
  for (void* array : {static_cast<void*>(out), static_cast<void*>(in), static_cast<void*>(matrix),
                      static_cast<void*>(bodies), static_cast<void*>(pixels), static_cast<void*>(order)})
    CUDA_CHECK(cudaFree(array));
} catch (const std::exception& error) {
  std::fprintf(stderr, "accesses: %s\n", error.what());
  return 1;
}
