// Rung 7: what is wanted is gathered in shared memory, and written in whole lines.
#include "copy_if.h"
#include "scan.h"

constexpr unsigned kWarps = 16;         // warps a block
constexpr int kBlock = kWarp * kWarps;  // 512 threads
constexpr int kEach = 16;               // elements a thread
constexpr int kWarpTile = kWarp * kEach;
constexpr int kTile = kWarps * kWarpTile;  // 8192 elements a block

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

/// Loads the caller's elements of a tile; those behind the end are 0, which is not wanted.
__device__ void fetch(int (&v)[kEach], const int* in, std::int64_t n, unsigned number) {
  // A warp's 512 elements are sixteen rows of 32, and a lane has one in each of them.
  const unsigned lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
  const std::int64_t first = static_cast<std::int64_t>(number) * kTile + warp * kWarpTile + lane;
#pragma unroll
  for (int k = 0; k < kEach; ++k) v[k] = first + k * kWarp < n ? in[first + k * kWarp] : 0;
}

/// Called by all threads of the block: copies `n` ints from shared memory to places that start anywhere.
__device__ void write(int* to, const int* from, int n) {
  // TODO(1): how many ints behind the start of a line, which is a multiple of 128 bytes, does `to` stand?
  //          Write, neighbouring threads neighbouring ints, in rounds of kBlock. Begin so many ints before
  //          `to`, and leave out what lies before it: then every warp writes one line (3 lines).
}

/// scratch[0] numbers the tiles; the word of tile k is scratch[1 + k].
__global__ void copy_if_kernel(int* out, int* kept, const int* in, std::int64_t n, Word* scratch) {
  __shared__ int gathered[kTile];  // the tile's wanted elements, without gaps
  __shared__ unsigned number;
  __shared__ int start;
  const unsigned lane = threadIdx.x % kWarp, lower_lanes = (1u << lane) - 1;
  if (threadIdx.x == 0) number = draw_number(scratch);
  __syncthreads();  // all threads know the block's number

  int v[kEach];
  fetch(v, in, n, number);
  int warp_total = 0;
  unsigned voters[kEach] = {};
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    voters[k] = __ballot_sync(kAllLanes, keep(v[k]));
    warp_total += __popc(voters[k]);
  }
  const Places places = places_of_warp(warp_total);

  Word* const word = scratch + 1 + number;
  if (threadIdx.x == 0) publish(word, {Known::total, places.total});  // first of all: others wait for it

  // TODO(2): rung 6's loop, but into `gathered`, where the block's first wanted element has place 0: that
  //          need not wait for `start`. Then look back as before, and write() the stretch when `start` is
  //          there and all have gathered (16 lines).
}

Order output_order() { return Order::of_input; }

cudaError_t copy_if(int* out, int* kept, const int* in, std::int64_t n, unsigned long long* scratch) {
  if (n == 0) return cudaMemsetAsync(kept, 0, sizeof(*kept));
  const unsigned tiles = static_cast<unsigned>((n + kTile - 1) / kTile);
  // No number is drawn yet, and nothing is known of any tile.
  const cudaError_t error = cudaMemsetAsync(scratch, 0, (1 + static_cast<std::size_t>(tiles)) * sizeof(Word));
  if (error != cudaSuccess) return error;
  copy_if_kernel<<<tiles, kBlock>>>(out, kept, in, n, scratch);
  return cudaGetLastError();
}
