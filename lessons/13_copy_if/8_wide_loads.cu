// Rung 8: 16 bytes a load. A lane has four neighbours then, and a scan of counts takes the votes' place.
#include "copy_if.h"
#include "scan.h"

constexpr unsigned kWarps = 16;          // warps a block
constexpr int kBlock = kWarp * kWarps;   // 512 threads
constexpr int kWide = 4;                 // ints in 16 bytes, the widest a thread loads
constexpr int kVectors = 4;              // loads a thread has under way
constexpr int kWarpRow = kWarp * kWide;  // 128 neighbours that a warp takes with one load
constexpr int kWarpTile = kVectors * kWarpRow;
constexpr int kTile = kWarps * kWarpTile;  // 8192 elements a block
constexpr int kWords = kVectors / 4;       // of four counts each, one for each vector

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

/// Four neighbours; those behind the end are 0, which is not wanted.
__device__ int4 load(const int* in, std::int64_t i, std::int64_t n) {
  return {i < n ? in[i] : 0, i + 1 < n ? in[i + 1] : 0, i + 2 < n ? in[i + 2] : 0, i + 3 < n ? in[i + 3] : 0};
}

/// Loads the caller's elements of a tile; those behind the end are 0, which is not wanted.
template <bool kAligned>
__device__ void fetch(int4 (&v)[kVectors], const int* in, std::int64_t n, unsigned number) {
  // A warp's elements are rows of 128, and a lane has four neighbours in each of them.
  const unsigned lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
  // TODO(1): a warp's elements are rows of 128, and a lane has four neighbours in each of them: kVectors
  //          loads of an int4, with no condition between those of a whole tile, so that all are under way at
  //          once. Unaligned arrays, and a tile that the array's end cuts off, are load()ed one by one (9
  //          lines).
}

__device__ unsigned count_wanted(int4 v) { return keep(v.x) + keep(v.y) + keep(v.z) + keep(v.w); }

/// Writes the wanted ones of four, one behind the other.
__device__ void gather(int* to, int4 v) {
  // TODO(2): the wanted ones of the four, one behind the other (4 lines).
}

/// Called by all threads of the block: copies `n` ints from shared memory to places that start anywhere.
__device__ void write(int* to, const int* from, int n) {
  const int behind = reinterpret_cast<std::uintptr_t>(to) / sizeof(int) % kWarp;  // the start of a line
  for (int k = static_cast<int>(threadIdx.x) - behind; k < n; k += kBlock)
    if (k >= 0) to[k] = from[k];  // a warp writes a line, only the first and last one in part
}

/// scratch[0] numbers the tiles; the word of tile k is scratch[1 + k].
template <bool kAligned>
__global__ void copy_if_kernel(int* out, int* kept, const int* in, std::int64_t n, Word* scratch) {
  __shared__ int gathered[kTile];  // the tile's wanted elements, without gaps
  __shared__ unsigned number;
  __shared__ int start;
  const unsigned lane = threadIdx.x % kWarp;
  if (threadIdx.x == 0) number = draw_number(scratch);
  __syncthreads();  // all threads know the block's number

  int4 v[kVectors];
  fetch<kAligned>(v, in, n, number);
  // A row has at most 128 wanted elements, which needs 8 bits: four rows' counts fit into one word.
  unsigned mine[kWords] = {}, up_to_lane[kWords], row_totals[kWords];
  // TODO(3): byte k % 4 of mine[k / 4] is how many of the four in v[k] are wanted (2 lines).
  int warp_total = 0;
  // TODO(4): scan_warp() takes four rows' counts at once, for no byte overflows; row_totals are what its last
  //          lane has; warp_total is the sum of their bytes (7 lines, two of them #pragma unroll).
  const Places places = places_of_warp(warp_total);

  Word* const word = scratch + 1 + number;
  if (threadIdx.x == 0) publish(word, {Known::total, places.total});  // first of all: others wait for it

  int place = places.before;  // of the first wanted element of a row
  // TODO(5): gather() each v[k] behind what lower lanes want of row k; the next row follows (6 lines).
  if (threadIdx.x < kWarp) {  // the first warp, all of it
    const int before = look_back(word, number);
    if (lane == 0) {
      publish(word, {Known::prefix, before + places.total});
      start = before;
      if (number == gridDim.x - 1) *kept = before + places.total;
    }
  }
  __syncthreads();  // start is there, and the tile is gathered
  write(out + start, gathered, places.total);
}

Order output_order() { return Order::of_input; }

template <bool kAligned>
cudaError_t launch(int* out, int* kept, const int* in, std::int64_t n, unsigned tiles, Word* scratch) {
  copy_if_kernel<kAligned><<<tiles, kBlock>>>(out, kept, in, n, scratch);
  return cudaGetLastError();
}

cudaError_t copy_if(int* out, int* kept, const int* in, std::int64_t n, unsigned long long* scratch) {
  if (n == 0) return cudaMemsetAsync(kept, 0, sizeof(*kept));
  const unsigned tiles = static_cast<unsigned>((n + kTile - 1) / kTile);
  // No number is drawn yet, and nothing is known of any tile.
  const cudaError_t error = cudaMemsetAsync(scratch, 0, (1 + static_cast<std::size_t>(tiles)) * sizeof(Word));
  if (error != cudaSuccess) return error;
  const bool aligned = reinterpret_cast<std::uintptr_t>(in) % sizeof(int4) == 0;
  return aligned ? launch<true>(out, kept, in, n, tiles, scratch)
                 : launch<false>(out, kept, in, n, tiles, scratch);
}
