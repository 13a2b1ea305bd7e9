// Rung 9: every key has a value, which goes where its key goes. The keys decide; the values follow.
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

/// Sorts a thread's own pairs by their keys: the network of rung 2, in registers.
__device__ void sort_own(float (&key)[kEach], int (&value)[kEach]) {
  // TODO(1): the network of rung 5 on pairs: exchange pairs i and i + 1 if their keys are in the wrong order.
  //          Equal keys are not (10 lines, two of them #pragma unroll).
}

/// A thread's elements lie side by side in the tile.
template <class T>
__device__ void put_own(T* tile, const T (&own)[kEach]) {
#pragma unroll
  for (int i = 0; i < kEach; ++i) tile[threadIdx.x * kEach + i] = own[i];
}

/// Merges two runs of the tile: each thread finds those keys of the merged run that belong to its places, and
/// where in the tile they were.
__device__ void merge_tile(float (&key)[kEach], int (&place)[kEach], const float* tile, Runs runs) {
  const int first = min(threadIdx.x * kEach, runs.end) - runs.begin;  // number in the merged run
  const int from_a = split(tile, runs, first);
  int a = runs.begin + from_a, b = runs.middle + first - from_a;
  float next_a = tile[a], next_b = tile[b];  // behind a run's end lies some value; it is not taken
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
    const bool take_b = b < runs.end && (a >= runs.middle || next_b < next_a);
    key[i] = take_b ? next_b : next_a;
    place[i] = take_b ? b : a;
    const float next = tile[take_b ? ++b : ++a];
    if (take_b)
      next_b = next;
    else
      next_a = next;
  }
}

/// Lets the values of a tile, which are in the tile, follow their keys.
__device__ void follow(int (&value)[kEach], const int (&place)[kEach], const int* tile) {
  // TODO(2): fetch this thread's values from where their keys were (2 lines).
}

__global__ void __launch_bounds__(kThreads)
    tile_kernel(float* out, int* values_out, const float* in, const int* values_in, int n) {
  __shared__ float tile[kTile + 1];                      // merge_tile() reads up to one place behind
  int* const value_tile = reinterpret_cast<int*>(tile);  // the same memory, at another time
  const int begin = blockIdx.x * kTile, count = min(kTile, n - begin);
  // What the last tile lacks is filled up with infinity, which ends up behind all keys: also behind those
  // that are infinite themselves, for equal keys keep their order.
  float key[kEach];
  int value[kEach], place[kEach];
#pragma unroll
  for (int k = 0; k < kEach; ++k) {  // all loads first: none waits for another
    const int i = k * kThreads + threadIdx.x;
    key[k] = i < count ? in[begin + i] : CUDART_INF_F;
    value[k] = i < count ? values_in[begin + i] : 0;
  }
#pragma unroll
  for (int k = 0; k < kEach; ++k) tile[k * kThreads + threadIdx.x] = key[k];
  __syncthreads();  // the tile is there before anybody reads it

#pragma unroll
  for (int i = 0; i < kEach; ++i) key[i] = tile[threadIdx.x * kEach + i];
  __syncthreads();  // all have read before the values overwrite them
#pragma unroll
  for (int k = 0; k < kEach; ++k) value_tile[k * kThreads + threadIdx.x] = value[k];
  __syncthreads();  // the values are there before anybody reads them
#pragma unroll
  for (int i = 0; i < kEach; ++i) value[i] = value_tile[threadIdx.x * kEach + i];
  sort_own(key, value);
  put_own(tile, key);  // to where they were: nobody else has read there
  __syncthreads();     // the runs are there before anybody searches them
  // TODO(3): merge the keys; then the values of the runs into the same memory, and each thread's new ones
  //          out; then the keys. Each change of what the memory holds needs a barrier (10 lines).
#pragma unroll
  for (int i = threadIdx.x; i < kTile; i += kThreads)
    if (i < count) out[begin + i] = tile[i];
  __syncthreads();  // the keys are out before the values overwrite them
  put_own(value_tile, value);
  __syncthreads();  // the values are there before they go out
#pragma unroll
  for (int i = threadIdx.x; i < kTile; i += kThreads)
    if (i < count) values_out[begin + i] = value_tile[i];
}

/// For each tile of the result: how many elements of its merged run before the tile come from the first run.
__global__ void split_kernel(int* splits, const float* in, int n, int width, int tiles) {
  const int tile = blockIdx.x * kSplitThreads + threadIdx.x;
  if (tile >= tiles) return;
  const Runs runs = runs_around(tile * kMergeTile, n, width);
  splits[tile] = split(in, runs, tile * kMergeTile - runs.begin);
}

/// Merges the runs of `width` elements in pairs: a block fills kMergeTile places of the result.
__global__ void __launch_bounds__(kMergeThreads)
    merge_kernel(float* out, int* values_out, const float* in, const int* values_in, int n, int width,
                 const int* splits) {
  __shared__ float tile[kMergeTile + 1];                 // merge_tile() reads up to one place behind
  int* const value_tile = reinterpret_cast<int*>(tile);  // the same memory, at another time
  const int begin = blockIdx.x * kMergeTile, count = min(kMergeTile, n - begin);
  const Runs runs = runs_around(begin, n, width);
  int from_first[2] = {};  // of the merged run's elements up to the tile's begin, and up to its end
  from_first[0] = splits[blockIdx.x];
  from_first[1] = begin + count == runs.end ? runs.middle - runs.begin : splits[blockIdx.x + 1];

  const int a_begin = runs.begin + from_first[0];
  const int b_begin = runs.middle + (begin - runs.begin) - from_first[0];
  const int a_count = from_first[1] - from_first[0];
  float key[kEach] = {};
  int value[kEach] = {}, place[kEach];
#pragma unroll
  for (int k = 0; k < kEach; ++k) {  // all loads first: none waits for another
    const int i = k * kMergeThreads + threadIdx.x, from = i < a_count ? a_begin + i : b_begin + i - a_count;
    if (i < count) key[k] = in[from], value[k] = values_in[from];
  }
#pragma unroll
  for (int k = 0; k < kEach; ++k) tile[k * kMergeThreads + threadIdx.x] = key[k];
  __syncthreads();  // the tile is there before anybody searches it

  // TODO(4): the same for the tile of a merging block, whose values are still in the order in which they were
  //          loaded, k * kMergeThreads + threadIdx.x. Store the keys, and the values after them, by way of
  //          the tile: neighbouring threads store neighbours (18 lines).
}

cudaError_t merge_sort(float* keys_out, int* values_out, const float* keys, const int* values, int n,
                       void* scratch) {
  if (n == 0) return cudaSuccess;
  int passes = 0;
  for (int width = kTile; width < n; width *= 2) ++passes;
  // Each pass writes where the one before has read; the last one writes keys_out and values_out.
  float* const places[2] = {keys_out, static_cast<float*>(scratch)};
  int* const value_places[2] = {values_out, reinterpret_cast<int*>(places[1] + n)};
  float* in = places[passes % 2];
  int* values_in = value_places[passes % 2];
  int* const splits = value_places[1] + n;  // behind both in the scratch memory
  const int tiles = (n + kMergeTile - 1) / kMergeTile;
  tile_kernel<<<(n + kTile - 1) / kTile, kThreads>>>(in, values_in, keys, values, n);
  for (int width = kTile; width < n; width *= 2) {
    float* const out = places[--passes % 2];
    int* const values_to = value_places[passes % 2];
    split_kernel<<<(tiles + kSplitThreads - 1) / kSplitThreads, kSplitThreads>>>(splits, in, n, width, tiles);
    merge_kernel<<<tiles, kMergeThreads>>>(out, values_to, in, values_in, n, width, splits);
    in = out, values_in = values_to;
  }
  return cudaGetLastError();
}
