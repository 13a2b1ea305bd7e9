// Rung 7: a thread sends for two vectors before it counts the first.
#include "common/grid.h"
#include "histogram.h"

constexpr int kWarp = 32;                    // lanes of a warp, and banks of shared memory
constexpr int kWarps = 16;                   // warps a block
constexpr int kBlock = kWarps * kWarp;       // 512 threads
constexpr int kBlocksPerMultiprocessor = 4;  // 4 x 512 = 2048 threads, and 4 x 32 KiB
constexpr int kWide = 16;                    // bytes a thread loads at once, the most it can
constexpr int kInFlight = 2;                 // loads a thread has under way before it uses the first

/// Counts the four bytes of a word in the lane's column.
__device__ void count(unsigned* column, unsigned word) {
#pragma unroll
  for (int shift = 0; shift < 32; shift += 8) atomicAdd(&column[(word >> shift & 0xff) * kWarp], 1u);
}

__device__ void count(unsigned* column, uint4 words) {
  count(column, words.x);
  count(column, words.y);
  count(column, words.z);
  count(column, words.w);
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
  const std::int64_t misplaced = reinterpret_cast<std::uintptr_t>(data) % kWide;
  const std::int64_t head = min(n, (kWide - misplaced) % kWide);
  const std::int64_t vectors = (n - head) / kWide;
  const std::int64_t tail = head + vectors * kWide;
  if (thread < head) atomicAdd(&column[data[thread] * kWarp], 1u);
  if (tail + thread < n) atomicAdd(&column[data[tail + thread] * kWarp], 1u);

  const uint4* const wide = reinterpret_cast<const uint4*>(data + head);
  // TODO(1): go through the vectors as in rung 6, but kInFlight in a round: load them all, the first at i,
  //          the others each `threads` further on; then count them. Do so as long as all of them are there,
  //          and count what is left one by one (9 lines).
  // BEGIN SOLUTION
  std::int64_t i = thread;
  for (; i + (kInFlight - 1) * threads < vectors; i += kInFlight * threads) {
    uint4 v[kInFlight];
#pragma unroll
    for (int k = 0; k < kInFlight; ++k) v[k] = wide[i + k * threads];
#pragma unroll
    for (int k = 0; k < kInFlight; ++k) count(column, v[k]);
  }
  for (; i < vectors; i += threads) count(column, wide[i]);  // fewer are left
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
  constexpr int kBytes = kInFlight * kWide;  // a thread in a round
  const unsigned blocks =
      ladder::grid_stride_blocks((n + kBytes - 1) / kBytes, kBlock, kBlocksPerMultiprocessor);
  histogram_kernel<<<blocks, kBlock>>>(bins, data, n);
  return cudaGetLastError();
}
