#include "blank_page.h"

// TODO(1): the kernel and lower_bounds(). Of which merge are the ranks the horizontal steps, and how is
//          that cut into equal pieces?
// BEGIN SOLUTION
constexpr int kThreads = 256;
constexpr int kTile = 2048;  // keys and data together that a block has

/// How many of the first `count` elements of the merge of keys and data are keys. Of equals the keys go
/// first, so that data before a key in the merge are below it.
__device__ int keys_among(const float* keys, int m, const float* data, int n, int count) {
  int low = max(0, count - n), high = min(count, m);
  while (low < high) {
    const int middle = (low + high) / 2;
    if (keys[middle] <= data[count - 1 - middle])
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

__global__ void lower_bounds_kernel(int* ranks, const float* keys, int m, const float* data, int n) {
  __shared__ float tile[kTile];  // the keys, then the data of a piece of the merge
  __shared__ int split[2];       // keys before the piece, and before its end
  const int begin = blockIdx.x * kTile, count = min(kTile, m + n - begin);
  if (threadIdx.x < 2) split[threadIdx.x] = keys_among(keys, m, data, n, begin + threadIdx.x * count);
  __syncthreads();  // the splits are known to all
  const int first_key = split[0], keys_here = split[1] - first_key, first_data = begin - first_key;
  for (int i = threadIdx.x; i < count; i += kThreads)
    tile[i] = i < keys_here ? keys[first_key + i] : data[first_data + i - keys_here];
  __syncthreads();  // the piece is there before anybody searches it
  for (int i = threadIdx.x; i < keys_here; i += kThreads) {
    int low = keys_here, high = count;  // the first that is not below the key is one of these places
    while (low < high) {
      const int middle = (low + high) / 2;
      if (tile[middle] < tile[i])
        low = middle + 1;
      else
        high = middle;
    }
    ranks[first_key + i] = first_data + low - keys_here;
  }
}

cudaError_t lower_bounds(int* ranks, const float* keys, int m, const float* data, int n) {
  if (m == 0) return cudaSuccess;
  const unsigned tiles = (static_cast<unsigned>(m) + n + kTile - 1) / kTile;
  lower_bounds_kernel<<<tiles, kThreads>>>(ranks, keys, m, data, n);
  return cudaGetLastError();
}
// END SOLUTION
