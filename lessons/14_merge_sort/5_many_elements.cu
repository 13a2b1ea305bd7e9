// Rung 5: fifteen elements a thread. They are sorted in registers first, and the tile is larger.
#include <math_constants.h>

#include "merge_sort.h"

constexpr int kEach = 15;  // elements a thread has; odd, so that threads kEach words apart meet in no bank
constexpr int kThreads = 512;            // of a block
constexpr int kTile = kThreads * kEach;  // elements that it has: 30 KB of shared memory

/// How many elements of a sorted run come before @p key: those below it, or, if its equals go first, those
/// not above it.
__device__ int rank_of(float key, const float* run, int length, bool equals_first) {
  int low = 0, high = length;  // the rank is one of low, ..., high
  while (low < high) {
    const int middle = (low + high) / 2;
    if (equals_first ? run[middle] <= key : run[middle] < key)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/// Two neighbouring sorted runs: [begin, middle) and [middle, end).
struct Runs {
  int begin, middle, end;
};

/// Those among which element i lies, if runs of `width` elements are merged in pairs.
__device__ Runs runs_around(int i, int n, int width) {
  const int begin = i / (2 * width) * (2 * width);
  return {begin, min(begin + width, n), min(begin + 2 * width, n)};  // the last runs may be short, or empty
}

/// Where element i of two runs goes when they are merged.
__device__ int place_of(int i, const float* in, Runs runs) {
  if (i < runs.middle) return i + rank_of(in[i], in + runs.middle, runs.end - runs.middle, false);
  return runs.begin + i - runs.middle + rank_of(in[i], in + runs.begin, runs.middle - runs.begin, true);
}

/// How many of the first `count` elements of the merged run come from the first of two runs.
__device__ int split(const float* in, Runs runs, int count) {
  const float *a = in + runs.begin, *b = in + runs.middle;
  int low = max(0, count - (runs.end - runs.middle)), high = min(count, runs.middle - runs.begin);
  while (low < high) {
    const int middle = (low + high) / 2;
    if (a[middle] <= b[count - 1 - middle])
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/// Sorts a thread's own elements: the network of rung 2, in registers.
__device__ void sort_own(float (&key)[kEach]) {
  // TODO(1): odd and even steps in turn, as in rung 2, on a thread's own elements: put key[i] and key[i + 1]
  //          in order, without a branch (8 lines, two of them #pragma unroll: only then all indices are known
  //          to the compiler, and the keys can be kept in registers).
}

/// A thread's elements lie side by side in the tile.
__device__ void put_own(float* tile, const float (&own)[kEach]) {
#pragma unroll
  for (int i = 0; i < kEach; ++i) tile[threadIdx.x * kEach + i] = own[i];
}

/// Merges two runs of the tile: this thread's elements go to their places. All threads of the block call it.
__device__ void merge_tile(float* tile, Runs runs) {
  const int own = threadIdx.x * kEach;  // the first of them; those from runs.end on are none
  // TODO(2): rung 4's merge_tile() for kEach elements. Which loops can be one (13 lines)?
}

__global__ void __launch_bounds__(kThreads) tile_kernel(float* out, const float* in, int n) {
  __shared__ float tile[kTile];
  const int begin = blockIdx.x * kTile, count = min(kTile, n - begin);
  // What the last tile lacks is filled up with infinity, which ends up behind all keys.
  // TODO(3): load, in rounds of kThreads neighbours, all before the first is put into the tile; what the last
  //          tile lacks is filled up with infinity, CUDART_INF_F, which ends up behind all keys. Then each
  //          thread takes its kEach neighbours, sorts them, and puts them back. Runs of kEach are merged
  //          until one is left. Store what belongs to the array (19 lines). Where are the barriers?
}

/// Merges the runs of `width` elements in pairs: a block fills kTile places of the result.
__global__ void __launch_bounds__(kThreads) merge_kernel(float* out, const float* in, int n, int width) {
  __shared__ float tile[kTile];
  __shared__ int from_first[2];  // of the merged run's elements up to the tile's begin, and up to its end
  const int begin = blockIdx.x * kTile, count = min(kTile, n - begin);
  const Runs runs = runs_around(begin, n, width);
  if (threadIdx.x < 2) from_first[threadIdx.x] = split(in, runs, begin + threadIdx.x * count - runs.begin);
  __syncthreads();  // the splits are known to all

  const int a_begin = runs.begin + from_first[0];
  const int b_begin = runs.middle + (begin - runs.begin) - from_first[0];
  const int a_count = from_first[1] - from_first[0];
  float key[kEach] = {};
#pragma unroll
  for (int k = 0; k < kEach; ++k) {  // all loads first: none waits for another
    const int i = k * kThreads + threadIdx.x;
    if (i < count) key[k] = i < a_count ? in[a_begin + i] : in[b_begin + i - a_count];
  }
#pragma unroll
  for (int k = 0; k < kEach; ++k) tile[k * kThreads + threadIdx.x] = key[k];
  __syncthreads();  // the tile is there before anybody searches it

  merge_tile(tile, {0, a_count, count});
#pragma unroll
  for (int i = threadIdx.x; i < kTile; i += kThreads)
    if (i < count) out[begin + i] = tile[i];
}

cudaError_t merge_sort(float* keys_out, int*, const float* keys, const int*, int n, void* scratch) {
  if (n == 0) return cudaSuccess;
  int passes = 0;
  for (int width = kTile; width < n; width *= 2) ++passes;
  // Each pass writes where the one before has read; the last one writes keys_out.
  float* const places[2] = {keys_out, static_cast<float*>(scratch)};
  float* in = places[passes % 2];
  const int tiles = (n + kTile - 1) / kTile;
  tile_kernel<<<tiles, kThreads>>>(in, keys, n);
  for (int width = kTile; width < n; width *= 2) {
    float* const out = places[--passes % 2];
    merge_kernel<<<tiles, kThreads>>>(out, in, n, width);
    in = out;
  }
  return cudaGetLastError();
}
