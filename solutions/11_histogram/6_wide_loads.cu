// Rung 6: 16 bytes a load: one instruction in 16 goes to memory, not one for each byte.
#include "common/grid.h"
#include "histogram.h"

constexpr int kWarp = 32;                    // lanes of a warp, and banks of shared memory
constexpr int kWarps = 16;                   // warps a block
constexpr int kBlock = kWarps * kWarp;       // 512 threads
constexpr int kBlocksPerMultiprocessor = 4;  // 4 x 512 = 2048 threads, and 4 x 32 KiB
constexpr int kWide = 16;                    // bytes a thread loads at once, the most it can

/// Counts the four bytes of a word in the lane's column.
__device__ void count(unsigned* column, unsigned word) {
  // TODO(1): take the word apart by shifts and masks, and count each byte as rung 5 does (2 to 5 lines).
  // BEGIN SOLUTION
#pragma unroll
  for (int shift = 0; shift < 32; shift += 8) atomicAdd(&column[(word >> shift & 0xff) * kWarp], 1u);
  // END SOLUTION
}

/// Counts the sixteen bytes of a vector.
__device__ void count(unsigned* column, uint4 words) {
  // TODO(2): its four words are members x, y, z and w (4 lines).
  // BEGIN SOLUTION
  count(column, words.x);
  count(column, words.y);
  count(column, words.z);
  count(column, words.w);
  // END SOLUTION
}

__global__ void histogram_kernel(unsigned* bins, const unsigned char* data, std::int64_t n) {
  __shared__ unsigned columns[kBins][kWarp];  // 32 KiB; word [v][lane] is in bank `lane`, whatever v is
  unsigned* const all = &columns[0][0];
  for (unsigned k = threadIdx.x; k < kBins * kWarp; k += blockDim.x) all[k] = 0;
  __syncthreads();  // all of it is 0 before anybody counts

  const std::int64_t threads = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  unsigned* const column = all + threadIdx.x % kWarp;

  // A 16-byte load has to start at a multiple of 16 bytes: up to 15 bytes before the first such place and up
  // to 15 behind the last whole vector go one by one.
  // TODO(3): how many bytes lie before the first multiple of 16 (head, n at most), how many vectors follow,
  //          and where does the rest behind them begin (tail)? The first threads of the grid count the bytes
  //          of both ends, one each; then the grid strides over the vectors (8 lines). Lesson 09 did it with
  //          floats.
  // BEGIN SOLUTION
  const std::int64_t misplaced = reinterpret_cast<std::uintptr_t>(data) % kWide;
  const std::int64_t head = min(n, (kWide - misplaced) % kWide);
  const std::int64_t vectors = (n - head) / kWide;
  const std::int64_t tail = head + vectors * kWide;
  if (thread < head) atomicAdd(&column[data[thread] * kWarp], 1u);
  if (tail + thread < n) atomicAdd(&column[data[tail + thread] * kWarp], 1u);

  const uint4* const wide = reinterpret_cast<const uint4*>(data + head);
  for (std::int64_t i = thread; i < vectors; i += threads) count(column, wide[i]);
  // END SOLUTION

  __syncthreads();  // all have counted
  for (unsigned v = threadIdx.x; v < kBins; v += blockDim.x) {
    unsigned sum = 0;
    for (unsigned k = 0; k < kWarp; ++k) sum += columns[v][(v + k) % kWarp];  // each lane in another bank
    atomicAdd(&bins[v], sum);
  }
}

cudaError_t histogram(unsigned* bins, const unsigned char* data, std::int64_t n) {
  const cudaError_t error = cudaMemsetAsync(bins, 0, kBins * sizeof(*bins));
  if (error != cudaSuccess || n == 0) return error;
  const unsigned blocks =
      ladder::grid_stride_blocks((n + kWide - 1) / kWide, kBlock, kBlocksPerMultiprocessor);
  histogram_kernel<<<blocks, kBlock>>>(bins, data, n);
  return cudaGetLastError();
}
