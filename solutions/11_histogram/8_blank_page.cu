// Blank page: the lowest and the highest reading of each station. blank_page.h says what is wanted.
#include <climits>

#include "blank_page.h"
#include "common/grid.h"

// TODO(1): extremes(), and the kernels that it needs (about 30 lines).
// BEGIN SOLUTION
constexpr int kBlock = 512;                  // threads a block: sixteen warps
constexpr int kBlocksPerMultiprocessor = 4;  // 4 x 512 = 2048 threads, all that a multiprocessor holds
constexpr int kPerThread = 8;                // readings at least: a block ends with 256 atomic updates

__global__ void start_kernel(int* lowest, int* highest) {
  lowest[threadIdx.x] = INT_MAX;
  highest[threadIdx.x] = INT_MIN;
}

__global__ void extremes_kernel(int* lowest, int* highest, const unsigned char* station, const int* reading,
                                std::int64_t n) {
  __shared__ int low[kStations], high[kStations];  // the block's own
  for (unsigned s = threadIdx.x; s < kStations; s += blockDim.x) low[s] = INT_MAX, high[s] = INT_MIN;
  __syncthreads();  // all of them have a start value before anybody compares

  const std::int64_t threads = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (std::int64_t i = thread; i < n; i += threads) {
    atomicMin(&low[station[i]], reading[i]);
    atomicMax(&high[station[i]], reading[i]);
  }

  __syncthreads();  // all have compared
  for (unsigned s = threadIdx.x; s < kStations; s += blockDim.x) {
    atomicMin(&lowest[s], low[s]);  // of a station that the block has not seen: changes nothing
    atomicMax(&highest[s], high[s]);
  }
}

cudaError_t extremes(int* lowest, int* highest, const unsigned char* station, const int* reading,
                     std::int64_t n) {
  start_kernel<<<1, kStations>>>(lowest, highest);  // the next kernel starts when this one is done
  const unsigned blocks = ladder::grid_stride_blocks(n / kPerThread, kBlock, kBlocksPerMultiprocessor);
  extremes_kernel<<<blocks, kBlock>>>(lowest, highest, station, reading, n);
  return cudaGetLastError();
}
// END SOLUTION
