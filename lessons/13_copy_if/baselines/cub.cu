// The library's way: cub::DeviceSelect, which comes with the CUDA toolkit. It keeps the order.
#include <cub/device/device_select.cuh>

#include "copy_if.h"

struct Keep {
  __host__ __device__ bool operator()(int value) const { return keep(value); }
};

cudaError_t copy_if(int* out, int* kept, const int* in, std::int64_t n, unsigned long long* scratch) {
  std::size_t bytes = 0;  // CUB is asked for the size of its own scratch memory first: no launch
  const cudaError_t error = cub::DeviceSelect::If(nullptr, bytes, in, out, kept, n, Keep{});
  if (error != cudaSuccess) return error;
  if (bytes > scratch_words(n) * sizeof(*scratch)) return cudaErrorMemoryAllocation;
  return cub::DeviceSelect::If(scratch, bytes, in, out, kept, n, Keep{});
}

Order output_order() { return Order::of_input; }
