// The library's way with values: cub::DeviceRadixSort, which comes with the CUDA toolkit.
#include <cub/device/device_radix_sort.cuh>

#include "radix_sort.h"

cudaError_t sort_pairs(unsigned* out, unsigned* out_values, const unsigned* in, const unsigned* in_values,
                       int n, unsigned* scratch) {
  if (n == 0) return cudaSuccess;
  std::size_t bytes = 0;  // CUB is asked for the size of its own scratch memory first: no launch
  cudaError_t error = cub::DeviceRadixSort::SortPairs(nullptr, bytes, in, out, in_values, out_values, n);
  if (error != cudaSuccess) return error;
  if (bytes > static_cast<std::size_t>(scratch_words(n, 2)) * sizeof(*scratch))
    return cudaErrorMemoryAllocation;
  return cub::DeviceRadixSort::SortPairs(scratch, bytes, in, out, in_values, out_values, n);
}
