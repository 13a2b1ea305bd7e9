// Rung 10: blocks stay, and take tile after tile. While one is looked up and written, the next one is on its
// way into the registers.
#include "common/grid.h"
#include "copy_if.h"
#include "scan.h"

constexpr unsigned kWarps = 16;          // warps a block
constexpr int kBlock = kWarp * kWarps;   // 512 threads
constexpr int kBlocks = 1;               // on a multiprocessor: each thread may have 128 registers
constexpr int kWide = 4;                 // ints in 16 bytes, the widest a thread loads
constexpr int kVectors = 20;             // loads a thread has under way
constexpr int kWarpRow = kWarp * kWide;  // 128 neighbours that a warp takes with one load
constexpr int kWarpTile = kVectors * kWarpRow;
constexpr int kTile =
    kWarps * kWarpTile;               // 40,960 elements: 160 KiB in registers, and as much in shared memory
constexpr int kWords = kVectors / 4;  // of four counts each, one for each vector

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
  const std::int64_t begin = static_cast<std::int64_t>(number) * kTile;
  const std::int64_t first = begin + warp * kWarpTile + lane * kWide;
  // No condition stands between the loads of a whole tile, so all are under way at once.
  if (kAligned && begin + kTile <= n) {
#pragma unroll
    for (int k = 0; k < kVectors; ++k) v[k] = *reinterpret_cast<const int4*>(in + first + k * kWarpRow);
  } else {
#pragma unroll
    for (int k = 0; k < kVectors; ++k) v[k] = load(in, first + k * kWarpRow, n);
  }
}

__device__ unsigned count_wanted(int4 v) { return keep(v.x) + keep(v.y) + keep(v.z) + keep(v.w); }

/// Writes the wanted ones of four, one behind the other.
__device__ void gather(int* to, int4 v) {
  if (keep(v.x)) *to++ = v.x;
  if (keep(v.y)) *to++ = v.y;
  if (keep(v.z)) *to++ = v.z;
  if (keep(v.w)) *to = v.w;
}

/// Called by all threads of the block: copies `n` ints from shared memory to places that start anywhere.
__device__ void write(int* to, const int* from, int n) {
  const int behind = reinterpret_cast<std::uintptr_t>(to) / sizeof(int) % kWarp;  // the start of a line
  for (int k = static_cast<int>(threadIdx.x) - behind; k < n; k += kBlock)
    if (k >= 0) to[k] = from[k];  // a warp writes a line, only the first and last one in part
}

/// scratch[0] numbers the tiles; the word of tile k is scratch[1 + k].
template <bool kAligned>
__global__ void __launch_bounds__(kBlock, kBlocks)
    copy_if_kernel(int* out, int* kept, const int* in, std::int64_t n, unsigned tiles, Word* scratch) {
  extern __shared__ int gathered[];  // [kTile]: the tile's wanted elements, without gaps
  __shared__ unsigned numbers[2];    // of this block's next tiles, in turn
  __shared__ int start;
  const unsigned lane = threadIdx.x % kWarp;
  if (threadIdx.x == 0) {
    numbers[0] = draw_number(scratch);
    numbers[1] = draw_number(scratch);
  }
  __syncthreads();  // all threads know the first two numbers

  unsigned number = numbers[0];
  int4 v[kVectors];
  if (number < tiles) fetch<kAligned>(v, in, n, number);
  // TODO(1): tile after tile, until the number in hand is beyond the last tile. In round 1, 2, 3, ...: count,
  //          scan and total as in rung 9; the next number is numbers[round % 2]; publish the total first of
  //          all; let one thread that does not look back draw the number after the next into the other place;
  //          gather() the vectors. Then their registers are free: fetch() the next tile, if there is one.
  //          Look back, with *kept set by the last tile; when `start` is there, write() (37 lines). Which
  //          barrier says that all are done with the last tile?
}

Order output_order() { return Order::of_input; }

template <bool kAligned>
cudaError_t launch(int* out, int* kept, const int* in, std::int64_t n, unsigned tiles, Word* scratch) {
  constexpr int kBytes = kTile * sizeof(int);
  cudaError_t error = cudaSuccess;
  error = cudaFuncSetAttribute(copy_if_kernel<kAligned>, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes);
  if (error != cudaSuccess) return error;
  const unsigned blocks = ladder::grid_stride_blocks(tiles, 1, kBlocks);
  copy_if_kernel<kAligned><<<blocks, kBlock, kBytes>>>(out, kept, in, n, tiles, scratch);
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
