// Rung 4: keep the order. Count in each block, scan the counts, and then everybody knows his place.
#include "copy_if.h"
#include "scan.h"

constexpr unsigned kWarps = 16;         // warps a block
constexpr int kBlock = kWarp * kWarps;  // 512 threads
constexpr int kTile = kBlock;           // elements a block: one for each thread

struct Places {
  int before;  ///< wanted elements of lower warps of the block
  int total;   ///< of all its warps
};

/// Called by all threads of the block.
///
/// @param warp_total  wanted elements of the caller's warp
__device__ Places places_of_warp(int warp_total) {
  __shared__ int warp_totals[kWarps];
  const unsigned lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
  Places places = {};
  // TODO(1): let each warp leave its total in the shared array. Then every warp scans all of them with
  //          scan_warp() of scan.h, a lane for each warp, and fetches places.before and places.total from the
  //          lanes that know them (6 lines). Where is the barrier?
  // BEGIN SOLUTION
  if (lane == 0) warp_totals[warp] = warp_total;
  __syncthreads();  // all warps have counted
  // Every warp scans the totals for itself: five shuffles cost less than another barrier.
  const int of_lanes_warp = lane < kWarps ? warp_totals[lane] : 0;
  const int up_to_lanes_warp = scan_warp(of_lanes_warp);
  places.before = __shfl_sync(kAllLanes, up_to_lanes_warp - of_lanes_warp, warp);
  places.total = __shfl_sync(kAllLanes, up_to_lanes_warp, kWarp - 1);
  // END SOLUTION
  return places;
}

__global__ void count_kernel(int* counts, const int* in, std::int64_t n) {
  // TODO(2): how many elements of this block are wanted? __syncthreads_count(condition) is a barrier that
  //          counts on the way (3 lines).
  // BEGIN SOLUTION
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kTile + threadIdx.x;
  const int count = __syncthreads_count(i < n && keep(in[i]));  // a barrier that counts on the way
  if (threadIdx.x == 0) counts[blockIdx.x] = count;
  // END SOLUTION
}

/// @param start  for each block, the place of its first wanted element
__global__ void scatter_kernel(int* out, const int* start, const int* in, std::int64_t n) {
  // TODO(3): vote within the warp as in rung 3. An element's place is the block's start, and the wanted
  //          elements of lower warps, and those of lower lanes (8 lines).
  // BEGIN SOLUTION
  const unsigned lane = threadIdx.x % kWarp, lower_lanes = (1u << lane) - 1;
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kTile + threadIdx.x;
  const int value = i < n ? in[i] : 0;
  const bool wanted = keep(value);
  const unsigned voters = __ballot_sync(kAllLanes, wanted);
  const Places places = places_of_warp(__popc(voters));
  const int place = start[blockIdx.x] + places.before;  // of the warp's first wanted element
  if (wanted) out[place + __popc(voters & lower_lanes)] = value;
  // END SOLUTION
}

Order output_order() { return Order::of_input; }

cudaError_t copy_if(int* out, int* kept, const int* in, std::int64_t n, unsigned long long* scratch) {
  if (n == 0) return cudaMemsetAsync(kept, 0, sizeof(*kept));
  const unsigned tiles = static_cast<unsigned>((n + kTile - 1) / kTile);
  // TODO(4): three launches: count in each block, into scratch; turn the counts into places with
  //          scan_kernel() of scan.h, one block of 1024 threads; write (4 lines).
  // BEGIN SOLUTION
  int* const counts = reinterpret_cast<int*>(scratch);
  count_kernel<<<tiles, kBlock>>>(counts, in, n);
  scan_kernel<<<1, 1024>>>(counts, static_cast<int>(tiles), kept);
  scatter_kernel<<<tiles, kBlock>>>(out, counts, in, n);
  // END SOLUTION
  return cudaGetLastError();
}
