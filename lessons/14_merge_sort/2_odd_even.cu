// Rung 2: the first ten passes never leave shared memory. A block sorts 1024 elements, in the simplest way.
#include "merge_sort.h"

constexpr int kBlock = 256;
constexpr int kTile = 1024;          // elements that a block has: 4 KB of shared memory
constexpr int kThreads = kTile / 2;  // of such a block: each has a pair to compare

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

__global__ void tile_kernel(float* out, const float* in, int n) {
  __shared__ float tile[kTile];
  // TODO(1): bring the block's elements into the tile; the last block may have fewer than kTile. Then, in
  //          even steps, compare places 0 and 1, 2 and 3, ..., in odd ones 1 and 2, 3 and 4, ...: each thread
  //          a pair. Exchange the two if they are in the wrong order. After as many steps as there are
  //          elements, all are in order; a barrier ends each step. Store the tile (13 lines).
}

/// Merges the runs of `width` elements in pairs.
__global__ void merge_kernel(float* out, const float* in, int n, int width) {
  const int i = blockIdx.x * kBlock + threadIdx.x;
  if (i < n) out[place_of(i, in, runs_around(i, n, width))] = in[i];
}

cudaError_t merge_sort(float* keys_out, int*, const float* keys, const int*, int n, void* scratch) {
  if (n == 0) return cudaSuccess;
  // TODO(2): as in rung 1, but the passes begin with runs of kTile: tile_kernel sorts those, and writes where
  //          the first pass, if there is one, reads (11 lines).
  return cudaGetLastError();
}
