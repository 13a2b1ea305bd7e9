// The library's way with keys of 64 bits: cub::DeviceRadixSort, which comes with the CUDA toolkit.
#include <cub/device/device_radix_sort.cuh>

#include "radix_sort.h"

cudaError_t sort_wide_keys(std::uint64_t* out, const std::uint64_t* in, int n, unsigned* scratch) {
  if (n == 0) return cudaSuccess;
  std::size_t bytes = 0;  // CUB is asked for the size of its own scratch memory first: no launch
  cudaError_t error = cub::DeviceRadixSort::SortKeys(nullptr, bytes, in, out, n);
  if (error != cudaSuccess) return error;
  if (bytes > static_cast<std::size_t>(scratch_words(n, 2)) * sizeof(*scratch))
    return cudaErrorMemoryAllocation;
  return cub::DeviceRadixSort::SortKeys(scratch, bytes, in, out, n);
}
