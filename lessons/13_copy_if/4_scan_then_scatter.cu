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
  return places;
}

__global__ void count_kernel(int* counts, const int* in, std::int64_t n) {
  // TODO(2): how many elements of this block are wanted? __syncthreads_count(condition) is a barrier that
  //          counts on the way (3 lines).
}

/// @param start  for each block, the place of its first wanted element
__global__ void scatter_kernel(int* out, const int* start, const int* in, std::int64_t n) {
  // TODO(3): vote within the warp as in rung 3. An element's place is the block's start, and the wanted
  //          elements of lower warps, and those of lower lanes (8 lines).
}

Order output_order() { return Order::of_input; }

cudaError_t copy_if(int* out, int* kept, const int* in, std::int64_t n, unsigned long long* scratch) {
  if (n == 0) return cudaMemsetAsync(kept, 0, sizeof(*kept));
  const unsigned tiles = static_cast<unsigned>((n + kTile - 1) / kTile);
  // TODO(4): three launches: count in each block, into scratch; turn the counts into places with
  //          scan_kernel() of scan.h, one block of 1024 threads; write (4 lines).
  return cudaGetLastError();
}
