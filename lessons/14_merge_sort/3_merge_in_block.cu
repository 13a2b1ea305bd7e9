// Rung 3: merging in shared memory, too: ten rounds take the place of a thousand steps.
#include "merge_sort.h"

constexpr int kBlock = 256;
constexpr int kTile = 1024;      // elements that a block has: 4 KB of shared memory
constexpr int kThreads = kTile;  // of such a block: each has an element to move

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

/// Merges two runs of the tile: this thread's element goes to its place. All threads of the block call it.
__device__ void merge_tile(float* tile, Runs runs) {
  const int i = threadIdx.x;  // the element, if it is below runs.end
  // TODO(1): find the element its place, and move it there. Which reads have to be done before which writes,
  //          and which writes before which reads (9 lines)?
}

__global__ void tile_kernel(float* out, const float* in, int n) {
  __shared__ float tile[kTile];
  // TODO(2): bring the block's elements into the tile; merge runs of 1, 2, 4, ... until one run is left;
  //          store the tile (5 lines). How many threads take part in each round, and why must the loop be the
  //          same for all of them?
}

/// Merges the runs of `width` elements in pairs.
__global__ void merge_kernel(float* out, const float* in, int n, int width) {
  const int i = blockIdx.x * kBlock + threadIdx.x;
  if (i < n) out[place_of(i, in, runs_around(i, n, width))] = in[i];
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
    merge_kernel<<<(n + kBlock - 1) / kBlock, kBlock>>>(out, in, n, width);
    in = out;
  }
  return cudaGetLastError();
}
