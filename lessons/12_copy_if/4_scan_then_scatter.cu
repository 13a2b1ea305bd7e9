// Rung 4: keep the order. Count in each block, scan the counts, and then everybody knows his place.
#include "copy_if.h"
#include "scan.h"

constexpr unsigned kWarps = 32;         // warps a block: as many as lanes, so one warp can scan their counts
constexpr int kBlock = kWarp * kWarps;  // 1024 threads, each with one element

struct Places {
  int before;  ///< wanted elements of lower threads of the block
  int total;   ///< of all its threads
};

/// Called by all threads of the block.
__device__ Places places_in_block(bool wanted) {
  Places places = {};
  // TODO(1): vote within the warp; let each warp leave its count in a shared array; let the first warp turn
  //          the counts into sums up to each warp, with scan_warp() of scan.h; and set places.before and
  //          places.total (10 lines). Where are the two barriers?
  return places;
}

__global__ void count_kernel(int* counts, const int* in, std::int64_t n) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const int count = __syncthreads_count(i < n && keep(in[i]));  // a barrier that counts on the way
  if (threadIdx.x == 0) counts[blockIdx.x] = count;
}

/// @param start  for each block, the place of its first wanted element
__global__ void scatter_kernel(int* out, const int* start, const int* in, std::int64_t n) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const int value = i < n ? in[i] : 0;
  const bool wanted = keep(value);
  const Places places = places_in_block(wanted);
  if (wanted) out[start[blockIdx.x] + places.before] = value;
}

Order output_order() { return Order::of_input; }

cudaError_t copy_if(int* out, int* kept, const int* in, std::int64_t n, unsigned long long* scratch) {
  const int blocks = static_cast<int>((n + kBlock - 1) / kBlock);
  if (blocks == 0) return cudaMemsetAsync(kept, 0, sizeof(*kept));
  // TODO(2): three launches: count in each block, into scratch; turn the counts into places with
  //          scan_kernel() of scan.h, one block of 1024 threads; write (4 lines).
  return cudaGetLastError();
}
