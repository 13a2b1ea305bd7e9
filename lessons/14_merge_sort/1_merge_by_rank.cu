// Rung 1: sorted runs of 1, 2, 4, ... are merged in pairs, a thread for each element.
#include "merge_sort.h"

constexpr int kBlock = 256;

/// How many elements of a sorted run come before @p key: those below it, or, if its equals go first, those
/// not above it.
__device__ int rank_of(float key, const float* run, int length, bool equals_first) {
  int low = 0, high = length;  // the rank is one of low, ..., high
  while (low < high) {
    const int middle = (low + high) / 2;
    // TODO(1): does run[middle] come before the key? Narrow the range to what is still possible (4 lines).
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
  // TODO(2): its place in the merged run is its place in its own run plus its rank in the other one. Equal
  //          keys must keep their order: whose equals go first (2 lines)?
  return i;
}

/// Merges the runs of `width` elements in pairs.
__global__ void merge_kernel(float* out, const float* in, int n, int width) {
  const int i = blockIdx.x * kBlock + threadIdx.x;
  if (i < n) out[place_of(i, in, runs_around(i, n, width))] = in[i];
}

cudaError_t merge_sort(float* keys_out, int*, const float* keys, const int*, int n, void* scratch) {
  if (n == 0) return cudaSuccess;
  if (n == 1) return cudaMemcpyAsync(keys_out, keys, sizeof(float), cudaMemcpyDeviceToDevice);
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
  return cudaGetLastError();
}
