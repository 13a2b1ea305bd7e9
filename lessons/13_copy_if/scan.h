// From lesson 12, done: sums over the lanes of a warp, over a short array, and over the tiles before a tile.
#pragma once

#include "common/tile_status.h"

constexpr unsigned kWarp = 32;              // lanes of a warp
constexpr unsigned kAllLanes = 0xffffffff;  // a bit for each of them
constexpr unsigned kPauseNs = 400;  // before a look at what was not there is repeated: it takes that long

/// The sum of this lane's value and those of all lower lanes of the warp.
template <class T>
__device__ T scan_warp(T value) {
  const unsigned lane = threadIdx.x % kWarp;
#pragma unroll
  for (unsigned offset = 1; offset < kWarp; offset *= 2) {
    const T lower = __shfl_up_sync(kAllLanes, value, offset);
    if (lane >= offset) value += lower;
  }
  return value;
}

/// Turns counts into places, `values[k] = values[0] + ... + values[k - 1]`, and leaves the sum of all in
/// `*total`. For one block of 1024 threads.
static __global__ void scan_kernel(int* values, int n, int* total) {
  __shared__ int up_to_warp[kWarp];
  const unsigned lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
  int done = 0;  // the sum of all earlier pieces
  for (int first = 0; first < n; first += blockDim.x) {
    const int k = first + static_cast<int>(threadIdx.x);
    const int value = k < n ? values[k] : 0;
    const int in_warp = scan_warp(value);
    if (lane == kWarp - 1) up_to_warp[warp] = in_warp;
    __syncthreads();  // all warps have left their sum before the first warp reads them
    if (warp == 0) up_to_warp[lane] = scan_warp(up_to_warp[lane]);
    __syncthreads();  // and it is done before all read its sums
    if (k < n) values[k] = done + in_warp - value + (warp > 0 ? up_to_warp[warp - 1] : 0);
    done += up_to_warp[kWarp - 1];
    __syncthreads();  // all have read before the next piece overwrites
  }
  if (threadIdx.x == 0) *total = done;
}

/// The sum of all tiles before this one, found by the lanes of a warp together (decoupled look-back).
///
/// @param word  of this tile; those of the @p tile earlier tiles lie just below it
static __device__ int look_back(Word* word, unsigned tile) {
  int sum = 0;
  for (unsigned nearest = 1; nearest <= tile; nearest += kWarp) {
    const unsigned lane = threadIdx.x % kWarp, back = nearest + lane;
    Status status = {Known::prefix, 0};  // of lanes that get beyond the first tile
    if (back <= tile) status = look(word - back);
    while (__any_sync(kAllLanes, status.known == Known::nothing)) {
      __nanosleep(kPauseNs);
      if (back <= tile) status = look(word - back);
    }
    const unsigned prefixes = __ballot_sync(kAllLanes, status.known == Known::prefix);
    const unsigned last =
        prefixes ? __ffs(prefixes) - 1 : kWarp - 1;  // the lane whose value is the last to add
    const int up_to_lane = scan_warp(status.sum);
    sum += __shfl_sync(kAllLanes, up_to_lane, last);
    if (prefixes) break;
  }
  return sum;
}
