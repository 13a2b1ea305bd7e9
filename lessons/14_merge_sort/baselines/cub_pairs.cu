// The library's way with values: cub::DeviceMergeSort, which comes with the CUDA toolkit.
#include <cub/device/device_merge_sort.cuh>

#include "merge_sort.h"

struct Less {
  __device__ bool operator()(float a, float b) const { return a < b; }
};

cudaError_t merge_sort(float* keys_out, int* values_out, const float* keys, const int* values, int n,
                       void* scratch) {
  if (n == 0) return cudaSuccess;
  // CUB is asked for the size of its own scratch memory first, which costs no launch.
  const auto sort = [&](void* memory, std::size_t& bytes) {
    return cub::DeviceMergeSort::SortPairsCopy(memory, bytes, keys, values, keys_out, values_out, n, Less{});
  };
  std::size_t bytes = 0;
  const cudaError_t error = sort(nullptr, bytes);
  if (error != cudaSuccess) return error;
  if (bytes > scratch_bytes(n)) return cudaErrorMemoryAllocation;
  return sort(scratch, bytes);
}
