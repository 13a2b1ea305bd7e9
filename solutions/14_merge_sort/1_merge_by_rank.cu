// Rung 1: sorted runs of 1, 2, 4, ... are merged in pairs, a thread for each element.
#include "merge_sort.h"

constexpr int kBlock = 256;

/// How many elements of a sorted run come before @p key: those below it, or, if its equals go first, those
/// not above it.
__device__ int rank_of(float key, const float* run, int length, bool equals_first) {
  int low = 0, high = length;  // the rank is one of low, ..., high
  // TODO(1): binary search: does the element in the middle of the range come before the key? Narrow the range
  //          to what is still possible, until one rank is left (7 lines).
  // BEGIN SOLUTION
  while (low < high) {
    const int middle = (low + high) / 2;
    if (equals_first ? run[middle] <= key : run[middle] < key)
      low = middle + 1;
    else
      high = middle;
  }
  // END SOLUTION
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
  // TODO(2): its place in the merged run is its place in its own run plus its rank in the other one. Equal
  //          keys must keep their order: whose equals go first (2 lines)?
  // BEGIN SOLUTION
  if (i < runs.middle) return i + rank_of(in[i], in + runs.middle, runs.end - runs.middle, false);
  return runs.begin + i - runs.middle + rank_of(in[i], in + runs.begin, runs.middle - runs.begin, true);
  // END SOLUTION
  return i;
}

/// Merges the runs of `width` elements in pairs.
__global__ void merge_kernel(float* out, const float* in, int n, int width) {
  // TODO(3): a thread moves one element of the array to its place (2 lines).
  // BEGIN SOLUTION
  const int i = blockIdx.x * kBlock + threadIdx.x;
  if (i < n) out[place_of(i, in, runs_around(i, n, width))] = in[i];
  // END SOLUTION
}

cudaError_t merge_sort(float* keys_out, int*, const float* keys, const int*, int n, void* scratch) {
  if (n == 0) return cudaSuccess;
  if (n == 1) return cudaMemcpyAsync(keys_out, keys, sizeof(float), cudaMemcpyDeviceToDevice);
  // TODO(4): one pass for each width 1, 2, 4, ... below n. Each writes where the one before has read, and the
  //          last one has to write keys_out: so count the passes first (9 lines). There is room for one array
  //          in scratch.
  // BEGIN SOLUTION
  int passes = 0;
  for (int width = 1; width < n; width *= 2) ++passes;
  // Each pass writes where the one before has read; the last one writes keys_out.
  float* const places[2] = {keys_out, static_cast<float*>(scratch)};
  const float* in = keys;
  for (int width = 1; width < n; width *= 2) {
    float* const out = places[--passes % 2];
    merge_kernel<<<(n + kBlock - 1) / kBlock, kBlock>>>(out, in, n, width);
    in = out;
  }
  // END SOLUTION
  return cudaGetLastError();
}
