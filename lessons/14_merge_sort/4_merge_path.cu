// Rung 4: merge path. A block has a tile of the result, finds which elements belong there, and reads those.
#include "merge_sort.h"

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

/// How many of the first `count` elements of the merged run come from the first of two runs.
__device__ int split(const float* in, Runs runs, int count) {
  const float *a = in + runs.begin, *b = in + runs.middle;
  int low = max(0, count - (runs.end - runs.middle)), high = min(count, runs.middle - runs.begin);
  // TODO(1): suppose a gives `middle` of the first `count` elements and b the other count - middle. Is that
  //          too few of a, whose next element belongs before the last of b's? Equals of a go first (7 lines).
  return low;
}

/// Merges two runs of the tile: this thread's element goes to its place. All threads of the block call it.
__device__ void merge_tile(float* tile, Runs runs) {
  const int i = threadIdx.x;  // the element, if it is below runs.end
  float key = 0;
  int place = 0;
  if (i < runs.end) {
    key = tile[i];
    place = place_of(i, tile, runs);
  }
  __syncthreads();  // all have searched before anybody moves
  if (i < runs.end) tile[place] = key;
  __syncthreads();  // and all have moved before anybody reads
}

__global__ void tile_kernel(float* out, const float* in, int n) {
  __shared__ float tile[kTile];
  const int begin = blockIdx.x * kTile, count = min(kTile, n - begin);
  for (int i = threadIdx.x; i < count; i += kThreads) tile[i] = in[begin + i];
  __syncthreads();  // the tile is there before anybody searches it

  for (int width = 1; width < count; width *= 2) merge_tile(tile, runs_around(threadIdx.x, count, width));
  for (int i = threadIdx.x; i < count; i += kThreads) out[begin + i] = tile[i];
}

/// Merges the runs of `width` elements in pairs: a block fills kTile places of the result.
__global__ void merge_kernel(float* out, const float* in, int n, int width) {
  __shared__ float tile[kTile];
  __shared__ int from_first[2];  // of the merged run's elements up to the tile's begin, and up to its end
  // TODO(2): a block's tile is a piece of the merged run. Two threads find out how many of the merged run's
  //          elements up to the tile's begin, and up to its end, come from the first run; all shall know
  //          both. The tile's elements are those from from_first[0] to from_first[1] of the first run, and as
  //          many of the second as are left to make `count`. Bring them into the tile, one set behind the
  //          other; merge these two short runs as a round of the sort does; store the tile (12 lines).
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
