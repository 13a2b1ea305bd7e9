// Rung 5: one pass. Each block learns by looking back how many elements were wanted before its own.
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
  if (lane == 0) warp_totals[warp] = warp_total;
  __syncthreads();  // all warps have counted
  // Every warp scans the totals for itself: five shuffles cost less than another barrier.
  const int of_lanes_warp = lane < kWarps ? warp_totals[lane] : 0;
  const int up_to_lanes_warp = scan_warp(of_lanes_warp);
  places.before = __shfl_sync(kAllLanes, up_to_lanes_warp - of_lanes_warp, warp);
  places.total = __shfl_sync(kAllLanes, up_to_lanes_warp, kWarp - 1);
  return places;
}

/// scratch[0] numbers the tiles; the word of tile k is scratch[1 + k].
__global__ void copy_if_kernel(int* out, int* kept, const int* in, std::int64_t n, Word* scratch) {
  __shared__ unsigned number;
  __shared__ int start;
  const unsigned lane = threadIdx.x % kWarp, lower_lanes = (1u << lane) - 1;
  if (threadIdx.x == 0) number = draw_number(scratch);
  __syncthreads();  // all threads know the block's number

  const std::int64_t i = static_cast<std::int64_t>(number) * kTile + threadIdx.x;
  const int value = i < n ? in[i] : 0;
  const bool wanted = keep(value);
  const unsigned voters = __ballot_sync(kAllLanes, wanted);
  const Places places = places_of_warp(__popc(voters));

  // TODO(1): publish the block's total first of all, for others wait for it. Then all of the first warp calls
  //          look_back(), and one lane publishes the prefix, leaves the place of the block's first element in
  //          `start`, and in the last block sets *kept. When `start` is there, all write, as in rung 4 (13
  //          lines).
  // BEGIN SOLUTION
  Word* const word = scratch + 1 + number;
  if (threadIdx.x == 0) publish(word, {Known::total, places.total});  // first of all: others wait for it
  if (threadIdx.x < kWarp) {                                          // the first warp, all of it
    const int before = look_back(word, number);
    if (lane == 0) {
      publish(word, {Known::prefix, before + places.total});
      start = before;
      if (number == gridDim.x - 1) *kept = before + places.total;
    }
  }
  __syncthreads();  // start is there

  const int place = start + places.before;  // of the warp's first wanted element
  if (wanted) out[place + __popc(voters & lower_lanes)] = value;
  // END SOLUTION
}

Order output_order() { return Order::of_input; }

cudaError_t copy_if(int* out, int* kept, const int* in, std::int64_t n, unsigned long long* scratch) {
  if (n == 0) return cudaMemsetAsync(kept, 0, sizeof(*kept));
  const unsigned tiles = static_cast<unsigned>((n + kTile - 1) / kTile);
  // No number is drawn yet, and nothing is known of any tile.
  // TODO(2): let no number be drawn yet and nothing be known of any tile; then launch a block for each tile
  //          (3 lines).
  // BEGIN SOLUTION
  const cudaError_t error = cudaMemsetAsync(scratch, 0, (1 + static_cast<std::size_t>(tiles)) * sizeof(Word));
  if (error != cudaSuccess) return error;
  copy_if_kernel<<<tiles, kBlock>>>(out, kept, in, n, scratch);
  // END SOLUTION
  return cudaGetLastError();
}
