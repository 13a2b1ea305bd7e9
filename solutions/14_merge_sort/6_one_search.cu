// Rung 6: one search for fifteen elements. From where it ends, a thread merges one after the other.
#include <math_constants.h>

#include "merge_sort.h"

constexpr int kEach = 15;  // elements a thread has; odd, so that threads kEach words apart meet in no bank
constexpr int kThreads = 512;            // of a block
constexpr int kTile = kThreads * kEach;  // elements that it has: 30 KB of shared memory

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
  // TODO(1): which places of the merged run are this thread's? Behind the end of the runs there are none: let
  //          `first` be the end then. split() tells how many of the first run go before; so at which place of
  //          the tile does this thread begin to take from each run, and which are the two elements there?
  //          Then kEach times: a's is next, unless b's is smaller or a has come to its end, runs.middle; and
  //          never b's, when b has come to its end. Take it, and read the one behind it. When all have read,
  //          put_own(), and let all see it (18 lines).
  // BEGIN SOLUTION
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
  // END SOLUTION
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

/// Merges the runs of `width` elements in pairs: a block fills kTile places of the result.
__global__ void __launch_bounds__(kThreads) merge_kernel(float* out, const float* in, int n, int width) {
  __shared__ float tile[kTile + 1];  // merge_tile() reads up to one place behind
  __shared__ int from_first[2];      // of the merged run's elements up to the tile's begin, and up to its end
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
