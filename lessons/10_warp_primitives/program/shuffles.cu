// From which lane does each lane get its value? Every lane hands in its own number, so what comes out says
// it.
//   ./ladder sim lessons/10_warp_primitives/program/shuffles.cu       without a GPU
//   nvcc -arch=native -o shuffles shuffles.cu && ./shuffles           on one
#include <cstdio>

#include "../../../common/cuda_check.h"

constexpr int kWarp = 32;
constexpr unsigned kAllLanes = 0xffffffff;  // a bit for each lane of the warp
constexpr const char* kCalls[] = {"broadcast from lane 3", "up by 1", "down by 1", "xor 1", "xor 16",
                                  "down by 1, width 8"};
constexpr int kCount = sizeof kCalls / sizeof *kCalls;

/// @param[out] from  [kCount][kWarp]: for each call and lane, where the value came from
__global__ void shuffle_kernel(int* from) {
  const int lane = threadIdx.x;
  from[0 * kWarp + lane] = __shfl_sync(kAllLanes, lane, 3);
  from[1 * kWarp + lane] = __shfl_up_sync(kAllLanes, lane, 1);
  from[2 * kWarp + lane] = __shfl_down_sync(kAllLanes, lane, 1);
  from[3 * kWarp + lane] = __shfl_xor_sync(kAllLanes, lane, 1);
  from[4 * kWarp + lane] = __shfl_xor_sync(kAllLanes, lane, 16);
  from[5 * kWarp + lane] = __shfl_down_sync(kAllLanes, lane, 1, 8);  // four groups of eight lanes
}

int main() try {
  int* d_from = nullptr;
  CUDA_CHECK(cudaMalloc(&d_from, kCount * kWarp * sizeof(int)));
  shuffle_kernel<<<1, kWarp>>>(d_from);
  CUDA_CHECK(cudaGetLastError());
  int from[kCount][kWarp];
  CUDA_CHECK(cudaMemcpy(from, d_from, sizeof from, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_from));
  std::printf("%-22s", "lane");
  for (int lane = 0; lane < kWarp; ++lane) std::printf(" %2d", lane);
  for (int call = 0; call < kCount; ++call) {
    std::printf("\n%-22s", kCalls[call]);
    for (int lane = 0; lane < kWarp; ++lane) std::printf(" %2d", from[call][lane]);
  }
  std::printf("\n");
} catch (const std::exception& error) {
  std::fprintf(stderr, "shuffles: %s\n", error.what());
  return 1;
}
