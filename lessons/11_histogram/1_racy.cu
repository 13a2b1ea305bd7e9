// Rung 1, a bug hunt: a thread counts 64 neighbours. It looks right, it runs, and the counts are wrong.
#include "histogram.h"

constexpr int kBlock = 512;   // threads a block: sixteen warps
constexpr int kStretch = 64;  // elements a thread

template <class Bin>
__device__ void increment(Bin* bin) {
  ++*bin;  // one line for you, three steps for the GPU: read, add, write
}
// TODO(1): what if another thread comes in between? Write an increment() for unsigned bins that does it in
//          one step (1 to 3 lines). The compiler prefers a plain function to a template.

__global__ void histogram_kernel(unsigned* bins, const unsigned char* data, std::int64_t n) {
  const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t first = thread * kStretch, end = min(n, first + kStretch);
  for (std::int64_t i = first; i < end; ++i) increment(&bins[data[i]]);
}

cudaError_t histogram(unsigned* bins, const unsigned char* data, std::int64_t n) {
  // TODO(2): and what do the counters start from (2 lines)?
  const unsigned blocks = static_cast<unsigned>(n / (kBlock * kStretch) + 1);  // a grid of none is an error
  histogram_kernel<<<blocks, kBlock>>>(bins, data, n);
  return cudaGetLastError();
}
