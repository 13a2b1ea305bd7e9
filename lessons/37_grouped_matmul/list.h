// What rung 2 has made, for rungs 3 to 5: the list of tiles, which each block makes for itself.
#pragma once

#include "ring.h"

constexpr int kWarp = 32;

/// Of each expert, and of all.
struct List {
  int start[kMostExperts + 1];         // rows before it
  int tiles_before[kMostExperts + 1];  // row tiles before it
};

/// Makes the list; a warp does this.
__device__ inline void count_tiles(List& list, const int* start, int experts) {
  const int lane = threadIdx.x % kWarp;
  int before = 0;  // tiles of experts before e0
  for (int e0 = 0; e0 < experts; e0 += kWarp) {
    const int e = e0 + lane;
    const int first = e < experts ? start[e] : 0, end = e < experts ? start[e + 1] : 0;
    int tiles = (end - first + BM - 1) / BM;
    for (int distance = 1; distance < kWarp; distance *= 2) {
      const int other = __shfl_up_sync(0xffffffff, tiles, distance);
      if (lane >= distance) tiles += other;
    }
    if (e < experts) {
      list.start[e] = first;
      list.tiles_before[e + 1] = before + tiles;
    }
    if (e == experts - 1) list.start[experts] = end;
    before += __shfl_sync(0xffffffff, tiles, kWarp - 1);
  }
  if (lane == 0) list.tiles_before[0] = 0;
}

/// The expert of a row tile.
/// @pre tile < list.tiles_before[experts]
__device__ inline int find_expert(const List& list, int experts, int tile) {
  int low = 0, high = experts;  // low's first number is <= tile, high's is larger
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    (list.tiles_before[middle] <= tile ? low : high) = middle;
  }
  return low;
}
