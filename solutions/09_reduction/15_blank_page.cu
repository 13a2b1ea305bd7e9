// Blank page: the smallest element and its first place. blank_page.h says what is wanted.
#include <cmath>

#include "blank_page.h"
#include "common/grid.h"

// TODO(1): minimum(), and the kernels that it needs (about 40 lines).
// BEGIN SOLUTION
constexpr int kWarp = 32;                     // lanes of a warp
constexpr int kBlock = 256;                   // threads a block: eight warps
constexpr int kBlocksPerMultiprocessor = 32;  // several times what fits: whoever is done first takes more
constexpr int kPerThread = 8;                 // elements at least: for less, fewer blocks will do

/// An element and where it is. The place of no element is -1, the largest number of all as an unsigned one.
struct Found {
  float value = INFINITY;
  int place = -1;
};

/// The smaller of two, and of equal ones the first: the same in any order of combining.
__device__ Found least(Found a, Found b) {
  const bool first = static_cast<unsigned>(b.place) < static_cast<unsigned>(a.place);
  return b.value < a.value || (b.value == a.value && first) ? b : a;
}

/// The least of a warp's, in lane 0.
__device__ Found fold_warp(Found mine) {
  constexpr unsigned kAllLanes = 0xffffffff;  // a bit for each lane of the warp
  for (int offset = kWarp / 2; offset > 0; offset /= 2) {
    const float value = __shfl_down_sync(kAllLanes, mine.value, offset);
    const int place = __shfl_down_sync(kAllLanes, mine.place, offset);
    mine = least(mine, {value, place});
  }
  return mine;
}

/// Each block's least; places is null where an element's place is its index.
__global__ void minimum_kernel(float* value, int* place, const float* in, const int* places, std::int64_t n) {
  __shared__ float value_of[kBlock / kWarp];
  __shared__ int place_of[kBlock / kWarp];
  const unsigned lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
  const std::int64_t threads = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  Found mine;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += threads)
    mine = least(mine, {in[i], places ? places[i] : static_cast<int>(i)});
  mine = fold_warp(mine);
  if (lane == 0) value_of[warp] = mine.value, place_of[warp] = mine.place;
  __syncthreads();  // all warps have left theirs before the first one reads them
  if (warp != 0) return;
  mine = fold_warp(lane < kBlock / kWarp ? Found{value_of[lane], place_of[lane]} : Found{});
  if (lane == 0) value[blockIdx.x] = mine.value, place[blockIdx.x] = mine.place;
}

cudaError_t minimum(float* value, int* place, const float* in, std::int64_t n, float* values, int* places) {
  const unsigned blocks = ladder::grid_stride_blocks(n / kPerThread, kBlock, kBlocksPerMultiprocessor);
  minimum_kernel<<<blocks, kBlock>>>(values, places, in, nullptr, n);
  minimum_kernel<<<1, kBlock>>>(value, place, values, places, blocks);
  return cudaGetLastError();
}
// END SOLUTION
