// From which lane does each lane get its value? Every lane hands in its own number, so what comes out says
// it. Then masks of lanes: what a match gives, and what a lane can ask about the lanes before it.
//   ./ladder sim lessons/10_warp_primitives/program/shuffles.cu       without a GPU
//   nvcc -arch=native -o shuffles shuffles.cu && ./shuffles           on one
#include <cstdio>

#include "../../../common/cuda_check.h"

constexpr int kWarp = 32;
constexpr unsigned kAllLanes = 0xffffffff;  // a bit for each lane of the warp
constexpr const char* kCalls[] = {
    "broadcast from lane 3", "up by 1",         "down by 1",      "xor 1", "xor 16",
    "down by 1, width 8",    "lane 3, width 8", "xor 12, width 8"};
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
  from[6 * kWarp + lane] = __shfl_sync(kAllLanes, lane, 3, 8);
  from[7 * kWarp + lane] = __shfl_xor_sync(kAllLanes, lane, 12, 8);
}

/// The lanes before this one, a bit for each: (1u << lane) - 1, which the hardware keeps in a register.
__device__ unsigned lanes_before() {
  unsigned mask;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
  return mask;
}

constexpr const char* kMaskOf[] = {"match any of lane / 10", "match all of lane / 10", "match all of warp",
                                   "lanes before", "equal ones before"};
constexpr int kMasks = sizeof kMaskOf / sizeof *kMaskOf;

/// @param[out] mask  [kMasks][kWarp]: for each call and lane, the word that it has
__global__ void mask_kernel(unsigned* mask) {
  const unsigned lane = threadIdx.x, warp = blockIdx.x;
  int same = 0;  // set to whether all lanes have the same value
  const unsigned peers = __match_any_sync(kAllLanes, lane / 10);
  mask[0 * kWarp + lane] = peers;
  mask[1 * kWarp + lane] = __match_all_sync(kAllLanes, lane / 10, &same);
  mask[2 * kWarp + lane] = __match_all_sync(kAllLanes, warp, &same);
  mask[3 * kWarp + lane] = lanes_before();
  mask[4 * kWarp + lane] = peers & lanes_before();
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
  unsigned* d_mask = nullptr;
  CUDA_CHECK(cudaMalloc(&d_mask, kMasks * kWarp * sizeof(unsigned)));
  mask_kernel<<<1, kWarp>>>(d_mask);
  CUDA_CHECK(cudaGetLastError());
  unsigned mask[kMasks][kWarp];
  CUDA_CHECK(cudaMemcpy(mask, d_mask, sizeof mask, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_mask));
  std::printf("\n\n%-22s", "lane");
  for (const int lane : {0, 9, 10, 25, 31}) std::printf(" %8d", lane);
  for (int call = 0; call < kMasks; ++call) {
    std::printf("\n%-22s", kMaskOf[call]);
    for (const int lane : {0, 9, 10, 25, 31}) std::printf(" %08x", mask[call][lane]);
  }
  std::printf("\n");
} catch (const std::exception& error) {
  std::fprintf(stderr, "shuffles: %s\n", error.what());
  return 1;
}
