// What one would put together from the toolkit's parts: a block a row sorts stretch after stretch, together
// with the best so far, by cub::BlockRadixSort.
#include <cstdint>
#include <cub/block/block_radix_sort.cuh>

#include "top_k_and_sampling.h"

constexpr int kBlock = 256;
constexpr int kEach = 8;
constexpr int kRoom = kBlock * kEach;

__device__ Entry entry_of(float value, int index) {
  const unsigned bits = __float_as_uint(value + 0.0f);
  const unsigned key = bits & 0x80000000 ? ~bits : bits | 0x80000000;
  return static_cast<Entry>(key) << 32 | ~static_cast<unsigned>(index);
}

__device__ float value_of(Entry entry) {
  const unsigned key = static_cast<unsigned>(entry >> 32);
  return __uint_as_float(key & 0x80000000 ? key & 0x7fffffff : ~key);
}

__global__ void __launch_bounds__(kBlock)
    top_k_kernel(float* values, int* indices, const float* in, int cols, int k) {
  using Sort = cub::BlockRadixSort<Entry, kBlock, kEach>;
  __shared__ typename Sort::TempStorage scratch;
  const std::int64_t row = blockIdx.x;
  const float* const from = in + row * cols;
  Entry held[kEach];  // striped: held[0] of the first k threads are the best so far
#pragma unroll
  for (int j = 0; j < kEach; ++j) held[j] = 0;
  for (int base = 0; base < cols; base += kRoom - kMostK) {
#pragma unroll
    for (int j = 0; j < kEach; ++j) {
      const int place = static_cast<int>(threadIdx.x) + j * kBlock, col = base + place - kMostK;
      if (place >= kMostK) held[j] = col < cols ? entry_of(from[col], col) : 0;
    }
    Sort(scratch).SortDescendingBlockedToStriped(held);
    __syncthreads();
  }
  const int i = static_cast<int>(threadIdx.x);
  if (i < k) {
    values[row * k + i] = value_of(held[0]);
    indices[row * k + i] = static_cast<int>(~static_cast<unsigned>(held[0]));
  }
}

cudaError_t top_k(float* values, int* indices, const float* in, int rows, int cols, int k, Entry*) {
  if (rows == 0) return cudaSuccess;
  top_k_kernel<<<rows, kBlock>>>(values, indices, in, cols, k);
  return cudaGetLastError();
}
