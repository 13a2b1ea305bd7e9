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
  // BEGIN SOLUTION
  __shared__ int up_to_warp[kWarps];  // first what each warp wants, then what all warps up to it want
  const unsigned lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
  const unsigned voters = __ballot_sync(kAllLanes, wanted);
  if (lane == 0) up_to_warp[warp] = __popc(voters);
  __syncthreads();  // all warps have counted before the first warp reads
  if (warp == 0) up_to_warp[lane] = scan_warp(up_to_warp[lane]);
  __syncthreads();  // and it is done before all read its sums
  const unsigned lower_lanes = (1u << lane) - 1;
  places.before = __popc(voters & lower_lanes) + (warp > 0 ? up_to_warp[warp - 1] : 0);
  places.total = up_to_warp[kWarps - 1];
  // END SOLUTION
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
  // BEGIN SOLUTION
  int* const counts = reinterpret_cast<int*>(scratch);
  count_kernel<<<blocks, kBlock>>>(counts, in, n);
  scan_kernel<<<1, 1024>>>(counts, blocks, kept);
  scatter_kernel<<<blocks, kBlock>>>(out, counts, in, n);
  // END SOLUTION
  return cudaGetLastError();
}
