// How many blocks a multiprocessor holds, asked of the runtime for blocks of many sizes with and without much
// shared memory. The kernel does nothing, and needs next to no registers: they are no limit here.
//   ./ladder sim lessons/08_occupancy/program/limits.cu          for the GPU that the simulator imitates
//   nvcc -arch=native -o limits limits.cu && ./limits            for yours
#include <cstdio>

#include "../../../common/cuda_check.h"

__global__ void idle_kernel(float* out) {
  extern __shared__ float tile[];
  if (out != nullptr) out[threadIdx.x] = tile[threadIdx.x];
}

int main() try {
  int device = 0, most = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxThreadsPerMultiProcessor, device));
  std::printf("%7s  %13s  %6s  %5s  %9s\n", "threads", "shared, bytes", "blocks", "warps", "occupancy");
  for (const int bytes : {0, 512, 16 * 1024, 48 * 1024}) {
    for (const int threads : {32, 64, 256, 384, 1024}) {
      int blocks = 0;
      CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, idle_kernel, threads, bytes));
      std::printf("%7d  %13d  %6d  %5d  %7.0f %%\n", threads, bytes, blocks, blocks * threads / 32,
                  100.0 * blocks * threads / most);
    }
  }
} catch (const std::exception& error) {
  std::fprintf(stderr, "limits: %s\n", error.what());
  return 1;
}
