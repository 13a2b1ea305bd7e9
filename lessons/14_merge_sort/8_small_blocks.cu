// Rung 8: merging in small blocks. A large tile saves passes where it is sorted, but not where it is merged.
#include <math_constants.h>

#include "merge_sort.h"

constexpr int kEach = 15;  // elements a thread has; odd, so that threads kEach words apart meet in no bank
constexpr int kThreads = 512;                      // of a sorting block: a large tile saves passes
constexpr int kTile = kThreads * kEach;            // elements that it has: 30 KB of shared memory
constexpr int kMergeThreads = 256;                 // of a merging block: fewer wait for each other
constexpr int kMergeTile = kMergeThreads * kEach;  // divides kTile: no tile has parts of two merged runs
constexpr int kSplitThreads = 64;  // finding splits: small blocks spread few threads over the GPU

/// Two neighbouring sorted runs: [begin, middle) and [middle, end).
struct Runs {
  int begin, middle, end;
};

/// Those among which element i lies, if runs of `width` elements are merged in pairs.
__device__ Runs runs_around(int i, int n, int width) {
  const int begin = i / (2 * width) * (2 * width);
  return {begin, min(begin + width, n), min(begin + 2 * width, n)};  // the last runs may be short, or empty
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
#pragma unroll
  for (int step = 0; step < kEach; ++step)
#pragma unroll
    for (int i = step % 2; i + 1 < kEach; i += 2) {
      const float smaller = fminf(key[i], key[i + 1]);
      key[i + 1] = fmaxf(key[i], key[i + 1]);
      key[i] = smaller;
    }
}

/// A thread's elements lie side by side in the tile.
__device__ void put_own(float* tile, const float (&own)[kEach]) {
#pragma unroll
  for (int i = 0; i < kEach; ++i) tile[threadIdx.x * kEach + i] = own[i];
}

/// Merges two runs of the tile: each thread finds those elements of the merged run that belong to its places.
/// All threads of the block call it.
__device__ void merge_tile(float* tile, Runs runs) {
  const int first = min(threadIdx.x * kEach, runs.end) - runs.begin;  // number in the merged run
  const int from_a = split(tile, runs, first);
  int a = runs.begin + from_a, b = runs.middle + first - from_a;
  float next_a = tile[a], next_b = tile[b];  // behind a run's end lies some value; it is not taken
  float key[kEach] = {};
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
    const bool take_b = b < runs.end && (a >= runs.middle || next_b < next_a);
    key[i] = take_b ? next_b : next_a;
    const float next = tile[take_b ? ++b : ++a];
    if (take_b)
      next_b = next;
    else
      next_a = next;
  }
  __syncthreads();  // all have read before anybody overwrites
  put_own(tile, key);
  __syncthreads();  // and all have written before anybody reads
}

__global__ void __launch_bounds__(kThreads) tile_kernel(float* out, const float* in, int n) {
  __shared__ float tile[kTile + 1];  // merge_tile() reads up to one place behind
  const int begin = blockIdx.x * kTile, count = min(kTile, n - begin);
  // What the last tile lacks is filled up with infinity, which ends up behind all keys.
  float key[kEach];
#pragma unroll
  for (int k = 0; k < kEach; ++k) {  // all loads first: none waits for another
    const int i = k * kThreads + threadIdx.x;
    key[k] = i < count ? in[begin + i] : CUDART_INF_F;
  }
#pragma unroll
  for (int k = 0; k < kEach; ++k) tile[k * kThreads + threadIdx.x] = key[k];
  __syncthreads();  // the tile is there before anybody reads it

#pragma unroll
  for (int i = 0; i < kEach; ++i) key[i] = tile[threadIdx.x * kEach + i];
  sort_own(key);
  put_own(tile, key);  // to where they were: nobody else has read there
  __syncthreads();     // the runs are there before anybody searches them
  for (int width = kEach; width < kTile; width *= 2)
    merge_tile(tile, runs_around(threadIdx.x * kEach, kTile, width));
#pragma unroll
  for (int i = threadIdx.x; i < kTile; i += kThreads)
    if (i < count) out[begin + i] = tile[i];
}

/// For each tile of the result: how many elements of its merged run before the tile come from the first run.
__global__ void split_kernel(int* splits, const float* in, int n, int width, int tiles) {
  // TODO(1): the split at the begin of a tile of the new size. Only the tiles are smaller, not the runs (4
  //          lines).
}

/// Merges the runs of `width` elements in pairs: a block fills kMergeTile places of the result.
__global__ void __launch_bounds__(kMergeThreads)
    merge_kernel(float* out, const float* in, int n, int width, const int* splits) {
  __shared__ float tile[kMergeTile + 1];  // merge_tile() reads up to one place behind
  // TODO(2): rung 7's merging block with kMergeThreads threads and kMergeTile elements: its splits; what it
  //          has of both runs, all loads before the first store; merge_tile(); store (21 lines).
}

cudaError_t merge_sort(float* keys_out, int*, const float* keys, const int*, int n, void* scratch) {
  if (n == 0) return cudaSuccess;
  int passes = 0;
  for (int width = kTile; width < n; width *= 2) ++passes;
  // Each pass writes where the one before has read; the last one writes keys_out.
  float* const places[2] = {keys_out, static_cast<float*>(scratch)};
  float* in = places[passes % 2];
  int* const splits = reinterpret_cast<int*>(places[1] + n);  // behind the keys in the scratch memory
  // TODO(3): which launches count tiles of kTile, and which tiles of kMergeTile? tile_kernel, then the passes
  //          with two launches each (8 lines).
  return cudaGetLastError();
}
