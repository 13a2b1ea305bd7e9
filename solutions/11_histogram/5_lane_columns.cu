// Rung 5: each of the 32 lanes has a column of counters, all in one bank: lanes of a warp never meet.
#include "common/grid.h"
#include "histogram.h"

constexpr int kWarp = 32;                    // lanes of a warp, and banks of shared memory
constexpr int kWarps = 16;                   // warps a block
constexpr int kBlock = kWarps * kWarp;       // 512 threads
constexpr int kBlocksPerMultiprocessor = 4;  // 4 x 512 = 2048 threads, and 4 x 32 KiB

__global__ void histogram_kernel(unsigned* bins, const unsigned char* data, std::int64_t n) {
  // TODO(1): an array with a column of kBins counters for each lane, laid out so that all counters of lane k
  //          are in bank k; all of it 0 before anybody counts (4 lines).
  // BEGIN SOLUTION
  __shared__ unsigned columns[kBins][kWarp];  // 32 KiB; word [v][lane] is in bank `lane`, whatever v is
  unsigned* const all = &columns[0][0];
  for (unsigned k = threadIdx.x; k < kBins * kWarp; k += blockDim.x) all[k] = 0;
  __syncthreads();  // all of it is 0 before anybody counts
  // END SOLUTION

  const std::int64_t threads = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  // TODO(2): count in the column of this thread's lane, whose counters are kWarp words apart (2 to 4 lines).
  //          Who else counts there?
  // BEGIN SOLUTION
  unsigned* const column = all + threadIdx.x % kWarp;
  for (std::int64_t i = thread; i < n; i += threads) {
    atomicAdd(&column[data[i] * kWarp], 1u);  // the same lane of other warps: still atomic
  }
  // END SOLUTION

  // TODO(3): when all have counted, add up the 32 counters of each value and add that to bins (6 lines).
  //          Neighbouring lanes have neighbouring values: if all begin with column 0, in which bank do they
  //          meet? Let each begin with a column of its own.
  // BEGIN SOLUTION
  __syncthreads();  // all have counted
  for (unsigned v = threadIdx.x; v < kBins; v += blockDim.x) {
    unsigned sum = 0;
    for (unsigned k = 0; k < kWarp; ++k) sum += columns[v][(v + k) % kWarp];  // each lane in another bank
    atomicAdd(&bins[v], sum);
  }
  // END SOLUTION
}

cudaError_t histogram(unsigned* bins, const unsigned char* data, std::int64_t n) {
  const cudaError_t error = cudaMemsetAsync(bins, 0, kBins * sizeof(*bins));
  if (error != cudaSuccess || n == 0) return error;
  const unsigned blocks = ladder::grid_stride_blocks(n, kBlock, kBlocksPerMultiprocessor);
  histogram_kernel<<<blocks, kBlock>>>(bins, data, n);
  return cudaGetLastError();
}
